import Samples
import Testing

struct TimestampTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1),
            ("1969-12-31T23:59:59.999999Z", -1), ("1970-01-01T01:00:00+01:00", 0),
            ("1969-12-31T18:30:00-05:30", 0), ("1970-01-01t00:00:00z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000),
            ("2026-03-01T12:00:00.25Z", 1_772_366_400_250_000),
            ("2026-03-01T12:00:00.0000019Z", 1_772_366_400_000_001),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ] as [(String, Int64)])
    func `RFC 3339 is read exactly`(text: String, microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2026-01-00T00:00:00Z", "2026-03-01T24:00:00Z",
        "2026-03-01T12:60:00Z", "2026-03-01T12:00:60Z", "2026-03-01T12:00Z",
        "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00+24:00",
        "2026-03-01T12:00:00+0100", "26-03-01T12:00:00Z", "2026-3-1T12:00:00Z",
        "٢٠٢٦-03-01T12:00:00Z", "2026-03-01T::::::::Z", "2026-03-01T12:00:00Z ",
        "+2026-03-01T12:00:00Z",
    ])
    func `an invalid timestamp is rejected`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `the description of a timestamp is parsed again`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed", seed)
        var state = seed
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let microseconds = Int64(state >> 8) % 250_000_000_000_000_000
            let moment = Timestamp(microseconds: microseconds)
            #expect(Timestamp(rfc3339: moment.description) == moment)
        }
    }
}
