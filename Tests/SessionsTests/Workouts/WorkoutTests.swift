import Foundation
import Motion
import Samples
import Sessions
import TestSupport
import Testing
import Tracks

struct WorkoutTests {
    private static let start = Timestamp(microseconds: 1_795_243_510_001_112)

    /// A workout with a pause and with numbers of many digits.
    private func workout(_ seed: UInt64 = 1) throws -> Workout {
        var random = SplitMix(state: seed)
        func time(_ second: Double) -> Timestamp {
            Self.start.advanced(byMicroseconds: Int64(second * 1_000_000))
        }
        func points(_ seconds: Range<Int>) throws -> [RoutePoint] {
            try seconds.map { second in
                RoutePoint(
                    Fix(
                        time: time(Double(second) + 0.000_001),
                        position: try place(
                            .random(in: -90...90, using: &random),
                            .random(in: -180...180, using: &random)),
                        altitude: second == 3 ? nil : .random(in: -10...9000, using: &random),
                        accuracy: second == 4 ? nil : 0.1 + 0.2, speed: 1.25,
                        heading: second == 5 ? nil : 359.9),
                    isPausePoint: second == seconds.upperBound - 1 && second < 50)
            }
        }
        let segments = [try points(0..<9), try points(60..<63)]
        return try Workout(
            id: "lunch-\(seed)",
            SessionDraft(
                name: "A & B <i>\"x\"</i> ]]>", description: "two\nlines; ünï \u{1F6B6}",
                sensors: ["location.phone", "steps"]),
            spans: [
                TimeRange(from: Self.start, to: time(10.5)),
                TimeRange(from: time(59), to: time(64.000_001)),
            ],
            route: RouteRecord(
                segments: segments, distance: Track(segments: segments).distance,
                warnings: [.jump, .signalLost]))
    }

    @Test func `workouts are restored from one XML property list`()
        throws
    {
        let entered = try Workout(
            id: "entered", SessionDraft(name: "By hand", sensors: ["location"]),
            spans: [TimeRange(from: Self.start, to: Self.start.advanced(byMicroseconds: 1))],
            route: RouteRecord(segments: [], distance: 4200.1, source: .manual))
        let workouts = [try workout(1), entered, try workout(2)]
        let text = WorkoutList.text(workouts)
        #expect(text.hasPrefix(#"<?xml version="1.0" encoding="UTF-8"?>"#))
        #expect(text.contains("<!DOCTYPE plist "))
        #expect(try WorkoutList.workouts(Array(text.utf8)) == workouts)
        #expect(try WorkoutList.workouts(Array(WorkoutList.text([]).utf8)).isEmpty)
    }

    @Test func `another property list parser reads the workouts`() throws {
        let text = WorkoutList.text([try workout()])
        let list = try #require(
            try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
                as? [[String: Any]])
        let read = try #require(list.first)
        #expect(read["identifier"] as? String == "lunch-1")
        #expect(read["startTime"] as? Date == Date(timeIntervalSince1970: 1_795_243_510))
        #expect(read["duration"] as? Double == 15.500_001)
        #expect((read["segments"] as? [[[String: Any]]])?.map(\.count) == [9, 3])
    }

    @Test func `workouts of another program are read with the values they have`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><array><dict>
            <key>startTime</key><date>2026-03-01T12:00:00Z</date>
            <key>endTime</key><date>2026-03-01T12:30:00Z</date>
            <key>distance</key><real>5000</real><key>workoutType</key><string>Running</string>
            </dict></array></plist>
            """
        let read = try #require(try WorkoutList.workouts(Array(text.utf8)).first)
        #expect(read.route.distance == 5000)
        #expect(read.route.source == .manual)
        #expect(read.spans.map { $0.to.microseconds - $0.from.microseconds } == [1_800_000_000])
        #expect(read.draft.name == "Workout")
        #expect(read.draft.sensors == ["location"])
        // A second import gives the same workout.
        #expect(try WorkoutList.workouts(Array(text.utf8)).first?.id == read.id)
    }

    @Test(arguments: [
        ("", TrackError.Code.malformed), ("no list at all", .malformed), ("bplist00", .malformed),
        ("( {} )", .malformed), ("<plist><array><dict></array></plist>", .malformed),
        ("<plist><array><dict/></array></plist>", .malformed), ("<plist", .malformed),
        ("<plist><array><string>a</string></array></plist>", .malformed),
        ("<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><array/></plist>", .malformed),
        ("<!DOCTYPE plist [ ]><plist><array/></plist>", .unsafe),
        ("<!DOCTYPE other><plist><array/></plist>", .unsafe),
        ("<plist><!-- words --><array/></plist>", .unsafe),
        (
            "<plist><array><date>-9223372036854775807-01-01T00:00:00Z</date></array></plist>",
            .malformed
        ),
        (
            "<plist><array><date>9223372036854775807-01-01T00:00:00Z</date></array></plist>",
            .malformed
        ),
        (
            "<plist><array><date a=\"b\">99999999999-01-01T00:00:00Z</date></array></plist>",
            .malformed
        ),
        ("<plist><array><date>2026-01-01T00:00:00Z", .malformed),
        ("<plist><array><date/></array></plist>", .malformed),
    ])
    func `a file that is not a list of workouts is rejected`(
        text: String, code: TrackError.Code
    ) {
        #expect(refusal(Array(text.utf8)) == code)
    }

    @Test(arguments: [
        "<plist version=\"1.0\">", "<plist><!-- </array></array></array> -->",
        "<plist><? > </array></array> ?>", "<plist><![CDATA[</array>]]>",
        "<plist><array a=\"</array>\"></array>", "<plist></array></array></array>",
    ])
    func `deeply nested elements are rejected before they are decoded`(
        head: String
    ) {
        let depth = String(repeating: "<array>", count: 100_000)
        let found = refusal(Array((head + depth).utf8))
        #expect([.tooLarge, .unsafe, .malformed].contains(found))
        #expect(found == refusal(Array((head + depth.replacing("array", with: "dict")).utf8)))
    }

    @Test(arguments: [
        ("lunch-1", "Lunch 1", TrackError.Code.invalid), ("lunch-1", "lunch-2", .invalid),
        ("T06:45", "T36:45", .malformed),
        ("<key>latitude</key>", "<key>longitude</key>", .malformed),
        ("location.phone", "no sensor", .malformed),
        ("<real>0.30000000000000004</real>", "<string/>", .malformed),
        ("2026-11-21T", "1826-11-21T", .invalid), ("signalLost", "unheard", .malformed),
    ])
    func `one invalid workout rejects the whole file`(
        part: String, other: String, code: TrackError.Code
    ) throws {
        let text = WorkoutList.text([try workout(1), try workout(2)])
        #expect(text.contains(part))
        #expect(
            refusal(Array(text.replacingOccurrences(of: part, with: other).utf8)) == code)
    }

    @Test
    func `a damaged file is rejected or read, and never ends the process`()
        throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        let bytes = Array(WorkoutList.text([try workout(1), try workout(2)]).utf8)
        var refused = 0
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.removeSubrange(index..<min(index + 40, damaged.count))
                default:
                    let from = min(index, bytes.count)
                    damaged.insert(
                        contentsOf: bytes[from..<min(from + 60, bytes.count)], at: index)
                }
            }
            if refusal(damaged) != nil { refused += 1 }
        }
        #expect(refused > 1000, "seed \(seed)")
    }

    @Test func `a file beyond the limits is rejected`() throws {
        let bytes = Array(WorkoutList.text([try workout()]).utf8)
        var limits = TrackLimits()
        limits.points = 11
        #expect(refusal(bytes, limits) == .tooLarge)
        limits = TrackLimits()
        limits.bytes = bytes.count - 1
        #expect(refusal(bytes, limits) == .tooLarge)
    }

    @Test func `the same track of another program is imported as the same workout`() throws {
        let source = try workout()
        var track = source.track
        track.name = "  \u{7}Ring\nround " + String(repeating: "x", count: 200)
        let made = try Workout(track)
        #expect(made.draft.name.hasPrefix("Ring round xxx"))
        #expect(made.draft.name.count == 100)
        #expect(made.spans.count == 2)
        #expect(made.spans.last?.to == track.fixes.last?.time)
        #expect(made.route.segments == track.segments)
        #expect(made.route.warnings == [.jump])
        #expect(try Workout(track).id == made.id)
        track.segments[0].removeLast()
        #expect(try Workout(track).id != made.id)
        track.segments = [Array(track.segments[0].prefix(1)), []]
        #expect(throws: TrackError.self) { try Workout(track) }
    }

    private func refusal(
        _ bytes: [UInt8], _ limits: TrackLimits = TrackLimits()
    ) -> TrackError.Code? {
        do {
            _ = try WorkoutList.workouts(bytes, limits: limits)
            return nil
        } catch { return error.code }
    }
}
