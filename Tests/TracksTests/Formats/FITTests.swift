import Samples
import TestSupport
import Testing
import Tracks

struct FITTests {
    private typealias Field = FITFixture.Field

    private static let start = Int64(FITFixture.start)

    private static func position(_ latitude: Double, _ longitude: Double) -> [Int64] {
        [FITFixture.semicircles(latitude), FITFixture.semicircles(longitude)]
    }

    /// The seconds of fixes after the start of the fixture.
    private func seconds(_ track: Track?) -> [Int64] {
        (track?.fixes ?? []).map {
            $0.time.microseconds / 1_000_000 - Int64(FITFixture.epoch) - Self.start
        }
    }

    /// An activity of three points with a pause.
    private static func activity(isBigEndian: Bool = false) -> FITFixture {
        var file = FITFixture(isBigEndian: isBigEndian)
        file.define(0, 0, [Field(number: 0, size: 1, type: 0)])
        file.add(0, [4])
        file.define(
            1, 20,
            [.time, .latitude, .longitude, .altitude, .speed, .heartRate, .accuracy],
            developer: [2, 1])
        file.define(
            2, 21, [.time, Field(number: 0, size: 1, type: 0), Field(number: 1, size: 1, type: 0)])
        file.add(1, [start] + position(47, 8) + [5 * 900, 2500, 144, 3], developer: [1, 2, 3])
        file.add(
            1, [start + 1] + position(47.001, -8) + [0xFFFF, 0xFFFF, 0xFF, 0xFF],
            developer: [4, 5, 6])
        file.add(2, [start + 1, 0, 4])
        file.add(1, [start + 2, 0x7FFF_FFFF, 0x7FFF_FFFF, 0, 0, 90, 1], developer: [0, 0, 0])
        file.add(
            1, [start + 60] + position(-33, 151) + [5 * 480, 0, 0xFF, 0xFF], developer: [7, 8, 9])
        file.define(
            3, 18,
            [.time, Field(number: 2, size: 4, type: 0x86), Field(number: 5, size: 1, type: 0)])
        file.add(3, [start + 60, start, 2])
        return file
    }

    @Test(arguments: [false, true], [12, 14])
    func `records have positions, altitudes and speeds in both orders of bytes`(
        isBigEndian: Bool, headerSize: Int
    ) throws {
        let bytes = Self.activity(isBigEndian: isBigEndian).file(headerSize: headerSize)
        #expect(TrackFormat(recognizing: bytes) == .fit)
        let file = try TrackFile(bytes)
        let track = try #require(file.tracks.first)
        #expect(track.name == "Cycling")
        #expect(track.segments.map(\.count) == [2, 1])
        #expect(seconds(track) == [0, 1, 60])
        #expect(track.fixes.map(\.altitude) == [400, nil, -20])
        #expect(track.fixes.map(\.speed) == [2.5, nil, 0])
        #expect(track.fixes.map(\.accuracy) == [3, nil, nil])
        for (fix, wanted) in zip(track.fixes, [(47.0, 8.0), (47.001, -8), (-33, 151)]) {
            #expect(abs(fix.position.latitude - wanted.0) < 1e-7)
            #expect(abs(fix.position.longitude - wanted.1) < 1e-7)
        }
        #expect(
            file.remarks == [
                TrackRemark(.invalidPosition, track: "Cycling", count: 1),
                TrackRemark(.otherValues, track: nil, count: 2, detail: "heart rate"),
            ])
    }

    @Test func `compressed times continue from the last time and pass 32 seconds`() throws {
        var file = FITFixture()
        file.define(0, 21, [.time])
        file.define(1, 20, [.latitude, .longitude])
        file.add(0, [Self.start])
        for second in [UInt32(0), 7, 31, 40, 71] {
            file.add(1, afterTime: FITFixture.start + second, Self.position(1, 1))
        }
        #expect(seconds(try TrackFile(file.file()).tracks.first) == [0, 7, 31, 40, 71])
    }

    @Test func `enhanced fields come first, and arrays and other sizes are tolerated`() throws {
        var file = FITFixture()
        file.define(
            5, 20,
            [
                .time, .altitude, .latitude, .enhancedAltitude, .longitude, .enhancedSpeed, .speed,
                Field(number: 99, size: 0, type: 0x07), Field(number: 31, size: 1, type: 0x84),
            ])
        let first = Self.position(10, 20)
        file.add(5, [Self.start, 5 * 500, first[0], 5 * 600, first[1], 3500, 1, 0, 7])
        let fix = try #require(try TrackFile(file.file()).tracks.first?.fixes.first)
        #expect(fix.altitude == 100)
        #expect(fix.speed == 3.5)
        #expect(fix.accuracy == nil)
    }

    @Test func `each session is a track, and a course has its name`() throws {
        var file = FITFixture()
        file.define(
            0, 18, [Field(number: 2, size: 4, type: 0x86), Field(number: 5, size: 1, type: 0)])
        file.define(1, 20, [.time, .latitude, .longitude])
        for second in [Int64(0), 1, 10, 11, 12] {
            file.add(1, [Self.start + second] + Self.position(1, Double(second)))
        }
        file.add(0, [Self.start + 10, 1])
        file.add(0, [Self.start, 5])
        let tracks = try TrackFile(file.file()).tracks
        #expect(tracks.map(\.name) == ["Swimming", "Running"])
        #expect(tracks.map(\.fixes.count) == [2, 3])
        var course = FITFixture()
        course.define(0, 31, [Field(number: 5, size: 8, type: 0x07)])
        course.add(0, [0x65_6C_6F_6F_70])
        course.define(1, 20, [.time, .latitude, .longitude])
        course.add(1, [Self.start] + Self.position(1, 1))
        #expect(try TrackFile(course.file()).tracks.map(\.name) == ["poole"])
    }

    @Test func `files one after the other are read, each with definitions of its own`() throws {
        let one = Self.activity().file()
        let two = Self.activity(isBigEndian: true).file(headerSize: 12)
        #expect(try TrackFile(one + two).tracks.map(\.fixes.count) == [3, 3])
        var orphan = FITFixture()
        orphan.add(raw: [1, 0, 0, 0, 0])
        let file = try TrackFile(one + orphan.file())
        #expect(file.tracks.map(\.fixes.count) == [3])
        #expect(file.remarks.map(\.kind).contains(.damaged))
    }

    @Test func `times of a device without a clock need a correlation`() throws {
        func file(_ isKnown: Bool) -> [UInt8] {
            var file = FITFixture()
            file.define(1, 20, [.time, .latitude, .longitude])
            file.add(1, [100] + Self.position(1, 1))
            file.add(1, [105] + Self.position(1, 1))
            file.define(2, 162, [.time, Field(number: 1, size: 4, type: 0x86)])
            if isKnown { file.add(2, [Self.start, 95]) }
            return file.file()
        }
        #expect(seconds(try TrackFile(file(true)).tracks.first) == [5, 10])
        #expect(try TrackFile(file(false)).remarks.map(\.kind) == [.noTimes])
    }

    @Test func `a wrong checksum is reported, and an interrupted file read up to its end`() throws {
        let whole = Self.activity().file()
        var changed = whole
        changed[whole.count - 1] ^= 1
        let file = try TrackFile(changed)
        #expect(file.tracks.map(\.fixes.count) == [3])
        #expect(file.remarks.map(\.kind).contains(.wrongChecksum))
        #expect(!(try TrackFile(whole).remarks.map(\.kind).contains(.wrongChecksum)))
        let open = Self.activity().file(declaredSize: 0).dropLast(2)
        #expect(try TrackFile(Array(open)).tracks.map(\.fixes.count) == [3])
        let cut = try TrackFile(Array(whole.dropLast(20)))
        #expect(cut.tracks.map(\.fixes.count) == [3])
        #expect(cut.remarks.map(\.kind).contains(.damaged))
    }

    @Test func `a file without points is rejected or empty, never a crash`() throws {
        let whole = Self.activity().file()
        for count in 0..<40 {
            #expect(throws: TrackError.self) { try TrackFile(Array(whole.prefix(count))) }
        }
        var settings = FITFixture()
        settings.define(0, 0, [Field(number: 0, size: 1, type: 0)])
        settings.add(0, [2])
        #expect(try TrackFile(settings.file()).tracks.isEmpty)
        #expect(throws: TrackError.self) { try TrackFile(Array(whole.dropFirst()), as: .fit) }
    }

    @Test func `records and sessions are limited`() throws {
        var limits = TrackLimits()
        (limits.points, limits.segments) = (10, 3)
        var file = FITFixture()
        file.define(0, 20, [])
        file.add(raw: [UInt8](repeating: 0, count: 10))
        #expect(try TrackFile(file.file(), limits: limits).remarks.first?.count == 10)
        file.add(raw: [0])
        var error = #expect(throws: TrackError.self) { try TrackFile(file.file(), limits: limits) }
        #expect(error?.code == .tooLarge)
        var sessions = FITFixture()
        sessions.define(0, 18, [Field(number: 2, size: 4, type: 0x86)])
        for second in 0..<4 { sessions.add(0, [Self.start + Int64(second)]) }
        error = #expect(throws: TrackError.self) {
            try TrackFile(sessions.file(), limits: limits)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `changed files are read or rejected`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let files = [
            Self.activity().file(), Self.activity(isBigEndian: true).file(headerSize: 12),
            Self.activity().file() + Self.activity(isBigEndian: true).file(),
        ]
        var (read, rejected) = (0, 0)
        for _ in 0..<3000 {
            var bytes = files.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: index)
                case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                case 4: bytes.removeSubrange(index...)
                default:
                    let end = min(bytes.count, index + Int.random(in: 1...30, using: &random))
                    bytes.insert(contentsOf: bytes[index..<end], at: index)
                }
            }
            do {
                let file = try TrackFile(bytes, as: .fit)
                read += 1
                for fix in file.tracks.flatMap(\.fixes) {
                    #expect((-90...90).contains(fix.position.latitude))
                    #expect(fix.time.microseconds > 0)
                }
            } catch {
                rejected += 1
            }
        }
        #expect(read > 0 && rejected > 0)
    }
}
