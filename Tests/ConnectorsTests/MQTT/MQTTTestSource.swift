import Foundation
import Ingest
import Samples
import TestSupport
import VM

@testable import Connectors

/// An MQTT source whose attempts to connect are triggered by the test.
final class MQTTTestSource: Sendable {
    static let fields = #"[{"name": "temperature", "unit": "Cel", "from": "$.t"}]"#

    let source: SupervisedSource
    private let tries: AsyncStream<Void>
    private let nextTry: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - source: the keys of the source beside `kind`, `host` and `port`.
    ///   - payload: the members of the pack's `payload`.
    init(
        port: Int, source: String = #""topic": "home/t""#, host: String = "127.0.0.1",
        fields: String = MQTTTestSource.fields, payload: String = #""format": "json""#,
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
        fields: String = MQTTTestSource.fields, payload: String = #""format": "json""#
    ) throws(PackError) -> SensorPack {
        let text = """
            {"id": "temperature.home", "title": "At home", "fields": \(fields),
             "payload": {\(payload)},
             "source": {"kind": "mqtt", "host": "\(host)", "port": \(port), \(source)}}
            """
        return try SensorPack(Array(text.utf8))
    }

    var report: SourceReport { source.report ?? SourceReport() }

    /// Triggers the next attempt to connect.
    func tryAgain() { nextTry.yield() }

    /// Waits until the report fulfils a condition.
    func until(_ condition: (SourceReport) -> Bool) async throws {
        try await TestSupport.until { condition(report) }
    }

    /// Consumes the source while `body` runs.
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
