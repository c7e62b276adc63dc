import Samples
import TestSupport
import Testing

struct DurationSpanTests {
    @Test(arguments: [
        ("0us", Duration.zero), ("1us", .microseconds(1)), ("250ms", .milliseconds(250)),
        ("90s", .seconds(90)), ("10m", .seconds(600)), ("2h", .seconds(7200)),
        ("7d", .seconds(604_800)), ("2w", .seconds(1_209_600)),
        ("366000d", .seconds(366_000 * 86_400)), ("007s", .seconds(7)),
    ])
    func `a whole number and a unit are a duration`(text: String, duration: Duration) {
        #expect(Duration(span: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", "-5s", "+5s", "1.5s", "5 s", " 5s", "5s ", "5S", "5W", "5y", "5ss", "52286w",
        "٣s", "５s",
        "5\u{301}s", "1e3s", "366001d", "9223372036854775807us", "9223372036854775807d",
        "99999999999999999999s",
    ])
    func `any other text is rejected`(text: String) {
        #expect(Duration(span: text) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0us"), (.milliseconds(1500), "1500ms"), (.seconds(60), "1m"),
        (.seconds(86_400), "1d"), (.seconds(90_000), "25h"), (.nanoseconds(1999), "1us"),
    ])
    func `a duration is written in its largest whole unit`(duration: Duration, text: String) {
        #expect(duration.span == text)
    }

    @Test func `a written duration is parsed again`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let units: [Int64] = [1, 1000, 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000]
        for _ in 0..<2000 {
            let unit = units.randomElement(using: &random) ?? 1
            let count = Int64.random(in: 0...(366_000 * 86_400_000_000 / unit), using: &random)
            let duration = Duration.microseconds(count * unit)
            #expect(Duration(span: duration.span) == duration, "seed \(seed): \(duration)")
        }
    }

    @Test(
        arguments: [
            (Duration.microseconds(1), 1), (.nanoseconds(-1500), -1), (.seconds(-2), -2_000_000),
            (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), .min),
            (.seconds(9_223_372_036_854) + .microseconds(775_807), .max),
            (.seconds(9_223_372_036_854) + .microseconds(775_808), .max),
            (.seconds(-9_223_372_036_854) - .microseconds(775_809), .min),
        ] as [(Duration, Int64)])
    func `microseconds are clamped to 64 bits`(duration: Duration, microseconds: Int64) {
        #expect(duration.wholeMicroseconds == microseconds)
    }
}
