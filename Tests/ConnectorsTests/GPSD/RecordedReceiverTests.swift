import Foundation
import Ingest
import Samples
import Synchronization
import TestSupport
import Testing
import Tracks
import VM

@testable import Connectors

/// The folder of the recordings.
private let folder = ProcessInfo.processInfo.environment["GPSD_LOGS"]

/// Plays the regression tests of gpsd, which are not part of this project: what receivers sent, `NAME.log`, and
/// the reports that gpsd makes of it, `NAME.log.chk`.
///
/// The reference is read from these reports with Foundation, and not with the reader of this project.
@Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: folder != nil, "set GPSD_LOGS to the folder test/daemon of a gpsd checkout"))
struct RecordedReceiverTests {
    /// What becomes of a recording; a row of `receiver-counts.tsv`.
    private struct Counts: Equatable, CustomStringConvertible {
        /// Reports of gpsd with a position, and how many of them arrive with the same time and values, repeat an
        /// earlier one, and are refused because their time is before 2000.
        var (reports, right, repeated, early) = (0, 0, 0, 0)
        /// Of a recording in NMEA 0183: the times of day at which gpsd has a position, and at how many of them the
        /// format `nmea` has the same one, and none.
        var (times, same, missing) = (0, 0, 0)

        init() {}

        init(_ cells: some Sequence<Substring>) throws {
            let numbers = try cells.map { try #require(Int($0)) }
            try #require(numbers.count == 7)
            (reports, right, repeated, early) = (numbers[0], numbers[1], numbers[2], numbers[3])
            (times, same, missing) = (numbers[4], numbers[5], numbers[6])
        }

        var description: String {
            [reports, right, repeated, early, times, same, missing].map { "\($0)" }
                .joined(separator: "\t")
        }
    }

    /// A report of gpsd about the position.
    private struct Report {
        let line: [UInt8]
        let time: Timestamp?
        /// The values of `Fix.fields`, those that are unknown as in `Fix.numbers`; empty without a position.
        let numbers: [Double]
    }

    /// The counts of each recording.
    private static func expectation() throws -> [String: Counts] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "receiver-counts.tsv")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let cells = row.split(separator: "\t")
                return (String(cells[0]), try Counts(cells.dropFirst()))
            })
    }

    private static func recordings() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: #require(folder))
            .filter { $0.hasSuffix(".log") }.sorted()
        try #require(!names.isEmpty, "no recording is in the folder")
        return names
    }

    private static func contents(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(#require(folder))/\(name)"))
    }

    private static func reports(_ name: String) throws -> [Report] {
        try contents("\(name).chk").split(separator: 0x0A).compactMap { line in
            guard line.first == UInt8(ascii: "{"),
                let whole = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                whole["class"] as? String == "TPV"
            else { return nil }
            func number(_ names: String...) -> Double? {
                names.lazy.compactMap { (whole[$0] as? NSNumber)?.doubleValue }.first
            }
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let milliseconds = try (whole["time"] as? String).map {
                Int64((try style.parse($0).timeIntervalSince1970 * 1000).rounded())
            }
            var numbers: [Double] = []
            if number("mode") ?? 0 >= 2, let latitude = number("lat"), let longitude = number("lon")
            {
                let radius = number("epx").flatMap { x in number("epy").map { hypot(x, $0) } }
                numbers = [
                    latitude, longitude, number("altMSL", "alt", "altHAE") ?? Fix.unknownAltitude,
                    number("eph") ?? radius ?? -1, number("speed") ?? -1, number("track") ?? -1,
                ]
            }
            return Report(
                line: Array(line),
                time: milliseconds.map { Timestamp(microseconds: $0 * 1000) }, numbers: numbers)
        }
    }

    // MARK: - Reports of gpsd

    /// Plays reports into the source `location`, each 150 ms after its fix.
    private static func play(_ reports: [Report], _ counts: inout Counts) async throws {
        let clock = Mutex(Timestamp(microseconds: 0))
        let time = ScriptedTime(clock: { clock.withLock(\.self) })
        let sink = SampleSink(
            maker: try SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) }),
            limit: TokenBucket(rate: 1e9), time: time)
        let (samples, output) = AsyncThrowingStream.makeStream(of: Sample.self)
        _ = sink.begin(output)
        var conversation = GPSDConversation(GPSDConnector(time: time), sink)
        _ = conversation.take(Array(#"{"class":"VERSION","release":"3.22"}"#.utf8) + [0x0A])
        conversation.begin()
        var arrived: [Report] = []
        for report in reports {
            if let moment = report.time {
                clock.withLock { $0 = moment.advanced(byMicroseconds: 150_000) }
            }
            let before = sink.report
            _ = conversation.take(report.line + [0x0A])
            let after = sink.report
            #expect(after.dropped.malformed == 0)
            #expect(after.accepted - before.accepted <= (report.numbers.isEmpty ? 0 : 1))
            if !report.numbers.isEmpty { counts.reports += 1 }
            if after.accepted > before.accepted { arrived.append(report) }
        }
        output.finish()
        counts.repeated = sink.report.dropped.repeated
        counts.early = sink.report.dropped.invalidTimestamp
        var index = 0
        for try await sample in samples {
            try #require(index < arrived.count)
            let report = arrived[index]
            index += 1
            // A report without a time has that of its arrival.
            let isTimeRight = report.time.map { $0 == sample.time } ?? true
            if isTimeRight, sample.values.compactMap(\.double) == report.numbers {
                counts.right += 1
            }
        }
        #expect(index == arrived.count)
    }

    // MARK: - NMEA 0183

    private static func millisecondsOfDay(_ time: Timestamp) -> Int64 {
        time.microseconds / 1000 % 86_400_000
    }

    /// Compares the sentences of a recording with the reports that gpsd makes of them.
    private static func compare(
        _ name: String, _ reports: [Report], _ counts: inout Counts
    ) throws {
        var splitter = MessageSplitter(.nmea)
        var own: [Int64: [Fix]] = [:]
        // Without an RMC there is no date, and so no time.
        var undated: [Fix] = []
        for bytes in splitter.take(try contents(name)) + splitter.end() {
            guard let message = NMEAMessage(bytes), let fix = message.fix else { continue }
            if let time = message.time {
                own[millisecondsOfDay(time), default: []].append(fix)
            } else {
                undated.append(fix)
            }
        }
        guard !own.isEmpty || !undated.isEmpty else { return }
        let theirs = Dictionary(grouping: reports.filter { $0.time != nil && !$0.numbers.isEmpty })
        {
            millisecondsOfDay($0.time ?? Timestamp(microseconds: 0))
        }
        counts.times = theirs.count
        for (time, reports) in theirs {
            let fixes = own[time]
            let isSame = (fixes ?? undated).contains { fix in
                reports.contains { report in
                    // gpsd prints nine decimals.
                    abs(report.numbers[0] - fix.position.latitude) < 1e-8
                        && abs(report.numbers[1] - fix.position.longitude) < 1e-8
                }
            }
            if isSame {
                counts.same += 1
            } else if let fixes {
                print("\(name): \(fixes.map(\.position)), but gpsd has \(reports.map(\.numbers))")
            } else {
                counts.missing += 1
            }
        }
    }

    @Test func `positions of recorded receivers are those of gpsd`() async throws {
        let wanted = try Self.expectation()
        for name in try Self.recordings() {
            var counts = Counts()
            let reports = try Self.reports(name)
            try await Self.play(reports, &counts)
            try Self.compare(name, reports, &counts)
            #expect(wanted[name] == counts, "\(name)\t\(counts)")
        }
    }

    // MARK: - gpsd itself

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: RealGPSD.program), "gpsd is not installed"))
    func `positions of recorded receivers arrive through gpsd itself`() async throws {
        for name in try Self.recordings() {
            let wanted = try Self.reports(name).map(\.numbers).filter { !$0.isEmpty }
            let daemon = try await RealGPSD(
                delay: .zero, isPluggedIn: false, recording: Self.contents(name))
            let driver = LocationDriver(port: daemon.port, timeout: Program.patience)
            try await until { driver.discover().allSatisfy { !$0.isUnavailable } }
            guard case .pushed(let source) = driver.discover().first?.availability else { continue }
            let samples = source.samples()
            try await until { source.report?.link == .connected }
            try daemon.plugIn()
            var positions: [[Double]] = []
            for try await sample in samples {
                let position = Array(sample.values.compactMap(\.double).prefix(2))
                // The sentences that follow the recording; after those of some receivers, gpsd reads no others.
                if abs(position[1] - RealGPSD.longitude) < 1e-6 { break }
                positions.append(position)
                if positions.count == wanted.count { break }
            }
            let known = Set(wanted.map { Array($0.prefix(2)) })
            #expect(positions.allSatisfy(known.contains), "\(name)")
            #expect(wanted.isEmpty == positions.isEmpty, "\(name)")
            daemon.stop()
        }
    }
}
