import Ingest
import Samples
import Scheduling
import TestSupport
import Testing
import VM

@testable import Connectors

@Suite(.timeLimit(.minutes(10)))
struct AnnouncedSourceTests {
    @Test func `a message while its consumer is cancelled blocks neither`() async throws {
        let source = AnnouncedSource(
            AnnouncedReader(template: .whole, rule: FieldRule(Field("level"))), time: .system)
        source.connected()
        for _ in 1...1_000 {
            let consumer = Task { for try await _ in source.samples() {} }
            let delivery = Task { for _ in 1...4 { source.take(TemplateInput(Array("1".utf8))) } }
            await Task.yield()
            consumer.cancel()
            await delivery.value
            _ = await consumer.result
        }
    }

    @Test func `a retained state is taken once, and only if it differs from the stored one`()
        async throws
    {
        let rule = FieldRule(Field("state", kind: .state), states: ["ON": "open", "OFF": "closed"])
        let source = AnnouncedSource(
            AnnouncedReader(template: .whole, rule: rule), time: .system)
        source.connected()
        source.take(TemplateInput(Array("OFF".utf8)), isRetained: true)
        source.resume(after: Sample(time: Timestamp(microseconds: 0), values: [.text("closed")]))
        var samples = source.samples().makeAsyncIterator()
        source.take(TemplateInput(Array("ON".utf8)), isRetained: true)
        source.take(TemplateInput(Array("ON".utf8)), isRetained: true)
        source.take(TemplateInput(Array("OFF".utf8)))
        #expect(try await samples.next()?.values == [.text("open")])
        #expect(try await samples.next()?.values == [.text("closed")])
    }

    @Test func `a retained number is left out, since its age is unknown`() async throws {
        let source = AnnouncedSource(
            AnnouncedReader(template: .whole, rule: FieldRule(Field("level"))), time: .system)
        source.connected()
        source.take(TemplateInput(Array("1".utf8)), isRetained: true)
        var samples = source.samples().makeAsyncIterator()
        source.take(TemplateInput(Array("2".utf8)), isRetained: true)
        source.take(TemplateInput(Array("3".utf8)))
        #expect(try await samples.next()?.values == [.number(3)])
    }

    @Test func `an unknown battery level is no sample`() async throws {
        let rule = DeviceClass.number("battery").rule(unit: "%")
        let source = AnnouncedSource(
            AnnouncedReader(template: .whole, rule: rule), time: .system)
        source.connected()
        var samples = source.samples().makeAsyncIterator()
        for text in ["-1", "-1.0", "55"] { source.take(TemplateInput(Array(text.utf8))) }
        #expect(try await samples.next()?.values == [.number(55)])
        #expect(source.report?.dropped.incomplete == 2)
    }

    @Test func `a value expires without a further message`() throws {
        let time = ManualTime()
        let source = AnnouncedSource(
            AnnouncedReader(template: .whole, rule: FieldRule(Field("level")), expiry: 60),
            time: time)
        let samples = source.samples()
        source.connected()
        #expect(source.report?.problem == nil)
        time.advance(by: .seconds(61))
        #expect(source.report?.problem?.contains("60 s") == true)
        source.take(TemplateInput(Array("1".utf8)))
        #expect(source.report?.problem == nil)
        withExtendedLifetime(samples) {}
    }
}
