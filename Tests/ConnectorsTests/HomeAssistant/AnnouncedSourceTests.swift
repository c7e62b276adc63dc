import Ingest
import Samples
import Scheduling
import Testing
import VM

@testable import Connectors

@Suite(.timeLimit(.minutes(10)))
struct AnnouncedSourceTests {
    @Test func `a message while its consumer is cancelled blocks neither`() async throws {
        let maker = try SampleMaker(
            format: .plain, names: ["level"], rules: [FieldRule(Field("level"))])
        let source = AnnouncedSource(maker, time: .system)
        source.connected()
        for _ in 1...1_000 {
            let consumer = Task { for try await _ in source.samples() {} }
            let delivery = Task { for _ in 1...4 { source.take(Array("1".utf8)) } }
            await Task.yield()
            consumer.cancel()
            await delivery.value
            _ = await consumer.result
        }
    }
}
