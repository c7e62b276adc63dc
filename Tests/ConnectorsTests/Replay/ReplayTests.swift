import Foundation
import Ingest
import Samples
import Scheduling
import Synchronization
import Testing
import Tracks
import VM

@testable import Connectors

/// Replaying the tracks of files.
@Suite(.timeLimit(.minutes(10)))
struct ReplayTests {
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="47" lon="8"><ele>400</ele><time>2020-01-01T00:00:00Z</time></trkpt>
        <trkpt lat="47.1" lon="8"><time>2020-01-01T00:00:10Z</time></trkpt>
        </trkseg><trkseg>
        <trkpt lat="47.2" lon="8"><time>2020-01-01T00:01:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """
    private static let nmea = """
        $GPRMC,000000.00,A,4700.0000,N,00800.0000,E,10.0,045.0,010120,,,A*67\r
        $GPRMC,000010.00,A,4706.0000,N,00800.0000,E,10.0,045.0,010120,,,A*60\r
        $GPRMC,000100.00,A,4712.0000,N,00800.0000,E,10.0,045.0,010120,,,A*65\r

        """

    /// The waits between fixes.
    private final class Waits: Sendable {
        private let all = Mutex<[Duration]>([])
        var seconds: [Double] { all.withLock { $0.map { Double($0.wholeMicroseconds) / 1e6 } } }

        func wait(_ duration: Duration) async throws {
            try Task.checkCancellation()
            all.withLock { $0.append(duration) }
            // An endless replay must not be awaited.
            if duration > .seconds(3600) { try await Task.sleep(for: duration) }
            await Task.yield()
        }
    }

    private func played(
        _ content: String, speed: Double = 1, isLoop: Bool = false, count: Int
    ) async throws -> (samples: [Sample], waits: [Double]) {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "track-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let waits = Waits()
        let source = SupervisedSource(
            ReplayConnector(
                file: file.path(percentEncoded: false), speed: speed, isLoop: isLoop,
                time: ScriptedTime(wait: { try await waits.wait($0) })),
            maker: try SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) }))
        return (try await source.take(count), waits.seconds)
    }

    @Test(arguments: [gpx, nmea])
    func `a track is replayed at its speed, with current times`(
        content: String
    ) async throws {
        let start = Timestamp.now()
        let (samples, waits) = try await played(content, speed: 10, count: 3)
        let latitudes = samples.compactMap { $0.values.first?.double }
        #expect(latitudes.count == 3)
        for (latitude, expected) in zip(latitudes, [47, 47.1, 47.2]) {
            #expect(abs(latitude - expected) < 1e-9)
        }
        #expect(Array(waits.prefix(2)) == [1, 5])
        #expect(samples.allSatisfy { $0.time >= start && $0.time <= .now() })
    }

    @Test func `a track is repeated only with loop`() async throws {
        let (samples, waits) = try await played(Self.gpx, isLoop: true, count: 7)
        let latitudes = samples.compactMap { $0.values.first?.double }
        #expect(latitudes == [47, 47.1, 47.2, 47, 47.1, 47.2, 47])
        #expect(Array(waits.prefix(6)) == [10, 50, 50, 10, 50, 50])
    }

    @Test(arguments: [gpx, nmea])
    func `the recorded time is kept beside the time of the replay`(content: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "track-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let field = Field("gpsTime", unit: "s")
        let waits = Waits()
        let start = Timestamp.now()
        let source = SupervisedSource(
            ReplayConnector(
                file: file.path(percentEncoded: false),
                time: ScriptedTime(wait: { try await waits.wait($0) })),
            maker: try SampleMaker(
                format: .named, names: [field.name], rules: [FieldRule(field)]))
        let samples = try await source.take(3)
        let times = samples.compactMap { $0.values.first?.double }
        #expect(zip(times, times.dropFirst()).map { $1 - $0 } == [10, 50])
        #expect(samples.allSatisfy { $0.time >= start })
        #expect(times.allSatisfy { $0 < Double(start.microseconds) / 1e6 - 3600 })
        #expect(source.report?.clock == nil)
    }

    @Test func `values that a track lacks stay unknown`() async throws {
        let (samples, _) = try await played(Self.gpx, count: 3)
        #expect(
            samples.map { $0.values.dropFirst(2).compactMap(\.double) }
                == [[400, -1, -1, -1], [-9999, -1, -1, -1], [-9999, -1, -1, -1]])
    }

    @Test(arguments: [
        ("", "contains no position"), ("hello", "contains no position"),
        ("<html></html>", "not GPX"),
        ("<!DOCTYPE gpx><gpx/>", "track-"), ("<gpx></gpx>", "contains no position"),
    ])
    func `an invalid track file is reported`(content: String, reason: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "track-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = await failure(of: file.path(percentEncoded: false))
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["/nowhere", "/dev/zero", "/tmp"])
    func `a pipe or a folder is rejected without waiting`(path: String) async throws {
        let error = await failure(of: path)
        #expect(error?.message.hasPrefix("\(path): It ") == true)
    }

    private func failure(of path: String) async -> ConnectorError? {
        let sink = DiscardingSink.make()
        do {
            try await ReplayConnector(file: path).connect(sink)
            return nil
        } catch {
            return error as? ConnectorError
        }
    }
}

/// A sink whose samples are not consumed.
enum DiscardingSink {
    static func make() -> SampleSink {
        guard
            let maker = try? SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) })
        else { preconditionFailure("the fields of fixes are names") }
        return SampleSink(maker: maker, limit: TokenBucket(rate: 1000), time: .system)
    }
}
