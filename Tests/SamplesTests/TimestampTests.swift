import Foundation
import Samples
import TestSupport
import Testing

struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (1_772_366_400_250_000, "2026-03-01T12:00:00.250000Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
            (-62_135_596_800_000_001, "0000-12-31T23:59:59.999999Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (253_402_300_800_000_000, "10000-01-01T00:00:00.000000Z"),
            (Int64.max, "294247-01-10T04:00:54.775807Z"),
            (Int64.min, "-290308-12-21T19:59:05.224192Z"),
        ] as [(Int64, String)])
    func `every timestamp is written as RFC 3339`(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test func `Foundation parses the written text to the same time`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        for _ in 0..<500 {
            // Foundation is Gregorian only after the reform of 1582.
            let seconds = Int64.random(in: -12_219_292_800...253_402_300_799, using: &random)
            let text = Timestamp(microseconds: seconds * 1_000_000).description
            let date = try Date(text.replacing(".000000", with: ""), strategy: style)
            #expect(Int64(date.timeIntervalSince1970) == seconds, "seed \(seed): \(text)")
        }
    }

    @Test(
        arguments: [
            (Int64.max, 1, Int64.max), (.max, .max, .max), (.min, -1, .min), (.min, .min, .min),
            (.max, .min, -1), (0, .min, .min), (5, -7, -2),
        ] as [(Int64, Int64, Int64)])
    func `advancing a timestamp saturates at the ends`(start: Int64, by: Int64, end: Int64) {
        let moved = Timestamp(microseconds: start).advanced(byMicroseconds: by)
        #expect(moved.microseconds == end)
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e16, -1e16, .greatestFiniteMagnitude,
    ])
    func `milliseconds out of range are rejected`(milliseconds: Double) {
        #expect(Timestamp(milliseconds: milliseconds) == nil)
    }

    @Test(
        arguments: [
            (0.0, 0), (-0.001, -1), (0.0004, 0), (1_772_366_400_250.125, 1_772_366_400_250_125),
            (-62_135_596_800_000.0, -62_135_596_800_000_000),
        ] as [(Double, Int64)])
    func `milliseconds are rounded to the nearest microsecond`(
        milliseconds: Double, microseconds: Int64
    ) {
        #expect(Timestamp(milliseconds: milliseconds)?.microseconds == microseconds)
    }

    @Test func `milliseconds represent every microsecond exactly up to the year 2248`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let exact: Int64 = 8_796_093_022_208_000
        for _ in 0..<2000 {
            let time = Timestamp(microseconds: .random(in: -exact...exact, using: &random))
            #expect(Timestamp(milliseconds: time.milliseconds) == time, "seed \(seed)")
        }
    }

    @Test func `the clock returns a time of this century`() {
        let now = Timestamp.now()
        #expect(abs(Double(now.microseconds) / 1e6 - Date().timeIntervalSince1970) < 60)
    }
}
