import Foundation
import Ingest
import Samples
import TestSupport
import VM

@testable import Connectors

/// A source of one broker whose tries to connect a test lets happen, and its samples.
final class MQTTBench: Sendable {
    static let fields = #"[{"name": "temperature", "unit": "Cel", "from": "$.t"}]"#

    let source: SupervisedSource
    private let tries: AsyncStream<Void>
    private let nextTry: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - source: the keys of the source beside `kind`, `host` and `port`.
    ///   - rest: what else the pack says of the payload.
    init(
        port: Int, source: String = #""topic": "home/t""#, host: String = "127.0.0.1",
        fields: String = MQTTBench.fields, payload: String = #""format": "json""#,
        rate: Double = 100_000
    ) throws {
        let pack = try Self.pack(
            port: port, source: source, host: host, fields: fields, payload: payload)
        let (tries, nextTry) = AsyncStream.makeStream(of: Void.self)
        (self.tries, self.nextTry) = (tries, nextTry)
        self.source = SupervisedSource(
            pack.connector, maker: pack.maker, highestRate: rate,
            time: ScriptedTime(wait: { _ in for await _ in tries { return } }))
    }

    static func pack(
        port: Int, source: String = #""topic": "home/t""#, host: String = "127.0.0.1",
        fields: String = MQTTBench.fields, payload: String = #""format": "json""#
    ) throws(PackError) -> SensorPack {
        let text = """
            {"id": "temperature.home", "title": "At home", "fields": \(fields),
             "payload": {\(payload)},
             "source": {"kind": "mqtt", "host": "\(host)", "port": \(port), \(source)}}
            """
        return try SensorPack(Array(text.utf8))
    }

    var report: SourceReport { source.report ?? SourceReport() }

    /// Lets the source connect again.
    func tryAgain() { nextTry.yield() }

    /// Waits until the report says something.
    func until(_ isSo: (SourceReport) -> Bool) async throws {
        try await TestSupport.until { isSo(report) }
    }

    /// Listens while `body` runs, which takes samples from what it is given.
    func listening<T: Sendable>(
        untilConnected waits: Bool = true, _ body: (inout Samples) async throws -> T
    ) async throws -> T {
        var samples = Samples(iterator: source.samples().makeAsyncIterator())
        if waits { try await until { $0.link == .connected } }
        return try await body(&samples)
    }

    struct Samples {
        var iterator: AsyncThrowingStream<Sample, any Error>.Iterator

        /// The numbers of the next samples.
        mutating func next(_ count: Int) async throws -> [Double?] {
            var numbers: [Double?] = []
            while numbers.count < count, let sample = try await iterator.next() {
                numbers.append(sample.values.first.flatMap(Self.number))
            }
            return numbers
        }

        private static func number(_ value: Value) -> Double? {
            if case .number(let number) = value { number } else { nil }
        }
    }
}
