import Foundation
import Samples
import TestSupport
import Testing
import Tracks

struct NMEATests {
    private struct Wanted: Decodable {
        let milliseconds: Double
        let isValid: Bool
        let latitude: Double
        let longitude: Double
        let altitude: Double
        let accuracy: Double
        let speed: Double
    }

    private static func fixture(_ name: String, _ ending: String) throws -> Data {
        let file = Bundle.module.url(
            forResource: name, withExtension: ending, subdirectory: "Fixtures")
        return try Data(contentsOf: try #require(file))
    }

    /// A sentence with its checksum.
    private func sentence(_ body: String) -> [UInt8] {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8)
    }

    private func reports(_ bytes: [UInt8]) -> [NMEAReader.Report] {
        var reader = NMEAReader()
        return reader.take(bytes) + reader.finish()
    }

    @Test(arguments: [1, 7, 80, 100_000])
    func `a file of NMEA sentences is read the same however it is split`(size: Int) throws {
        let bytes = [UInt8](try Self.fixture("walk", "nmea"))
        let wanted = try JSONDecoder().decode([Wanted].self, from: Self.fixture("walk", "json"))
        var reader = NMEAReader()
        var found: [NMEAReader.Report] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += reader.take(bytes[start..<min(start + size, bytes.count)])
        }
        found += reader.finish()
        #expect(reader.brokenLines == 0)
        // The first epoch of GGA has no date until its RMC comes, and is reported with it.
        #expect(found.count == wanted.count)
        for (report, wanted) in zip(found, wanted) {
            let time = try #require(Timestamp(milliseconds: wanted.milliseconds))
            guard wanted.isValid else {
                #expect(report == .noFix(time))
                continue
            }
            guard case .fix(let fix) = report else {
                Issue.record("no fix at \(time)")
                continue
            }
            #expect(fix.time == time)
            #expect(abs(fix.position.latitude - wanted.latitude) < 1e-7)
            #expect(abs(fix.position.longitude - wanted.longitude) < 1e-7)
            #expect(abs((fix.altitude ?? .nan) - wanted.altitude) < 1e-9)
            #expect(abs((fix.accuracy ?? .nan) - wanted.accuracy) < 1e-9)
            #expect(abs((fix.speed ?? .nan) - wanted.speed) < 0.01)
            #expect(fix.heading == 323.1)
        }
    }

    @Test func `wrong checksums, truncated lines and garbage are counted and lose no other fix`() {
        let good = sentence("GPRMC,120000,A,5540.55,N,01233.93,E,0.0,0.0,211126,,,A")
        let later = sentence("GPRMC,120001,A,5540.55,N,01233.93,E,0.0,0.0,211126,,,A")
        var wrong = good
        wrong[10] ^= 1
        let junk = [UInt8]([0xFF, 0x00, 0x1B]) + Array("hello\n".utf8)
        let long = Array("$".utf8) + [UInt8](repeating: 0x41, count: 100_000) + [0x0A]
        var reader = NMEAReader()
        let found =
            reader.take(
                junk + wrong + good.prefix(30) + good + Array("\r\n\n".utf8) + long + later)
            + reader.finish()
        #expect(found.count == 2)
        #expect(reader.brokenLines == 3)
        #expect(reader.otherLines == 1)
    }

    @Test(
        arguments: [
            "GPRMC,250000,A,5540.55,N,01233.93,E,0,0,211126,,,A",
            "GPRMC,1200,A,5540.55,N,01233.93,E,0,0,211126,,,A",
            "GPRMC,120000,A,5540.55,N,01233.93,E,0,0,310226,,,A",
            "GPRMC,120000,A,5540.55,N,01233.93,E,0,0,,,,A", "GPRMC", "GPRMC,,,,,,,,,,,",
            "GPGGA,120000,5540.55,N,01233.93,E,1,08,0.9,40,M,22,M,,", "XX", "GPXYZ,1",
        ])
    func `a report without date or time is not a fix`(body: String) {
        #expect(reports(sentence(body)) == [])
    }

    @Test(
        arguments: [
            "9100.00,N,01233.93,E", "5560.00,N,01233.93,E", "5540.55,X,01233.93,E",
            "5540.55,N,18100.00,E", "nan,N,01233.93,E", "5540.55,N,,", ",,,",
            "-540.55,N,01233.93,E",
        ])
    func `an invalid position is not a fix`(position: String) throws {
        let found = reports(sentence("GPRMC,120000,A,\(position),0,0,211126,,,A"))
        #expect(found == [.noFix(try #require(Timestamp(rfc3339: "2026-11-21T12:00:00Z")))])
    }

    @Test(arguments: [("1,00", false), ("1,04", true), ("6,00", true), ("0,04", false)])
    func `a fix of no satellites is not a fix, unless it is estimated`(
        quality: String, isFix: Bool
    ) throws {
        let found = reports(
            sentence("GPRMC,120000,A,5540.55,N,01233.93,E,0,0,211126,,,A")
                + sentence("GPGGA,120000,5540.55,N,01233.93,E,\(quality),0.9,40,M,22,M,,"))
        let time = try #require(Timestamp(rfc3339: "2026-11-21T12:00:00Z"))
        #expect((found == [.noFix(time)]) == !isFix && found.count == 1)
    }

    @Test func `random bytes do not trap`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let file = [UInt8](try Self.fixture("walk", "nmea"))
        for _ in 0..<200 {
            var bytes = file
            for _ in 0..<20 {
                bytes[Int.random(in: bytes.indices, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &random)...)
            var reader = NMEAReader()
            let found = reader.take(bytes) + reader.finish()
            #expect(found.count <= 32, "seed \(seed)")
            let broken = reader.brokenLines + reader.otherLines
            #expect(broken <= 60, "seed \(seed)")
        }
    }
}
