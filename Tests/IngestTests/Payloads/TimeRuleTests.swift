import Ingest
import Samples
import Testing

struct TimeRuleTests {
    private static let text = "2026-03-01T12:00:00.25Z"
    private static let moment: Int64 = 1_772_366_400_250_000

    /// The time that one value is read as, in microseconds; `nil` if it is not a time.
    private static func moment(_ value: String, _ form: TimeRule.Form) throws -> Int64? {
        var maker = try SampleMaker(
            format: .json, names: ["v"], rules: [FieldRule(Field("v"))],
            time: TimeRule("at", form: form))
        let payload = Array("{\"v\": 1, \"at\": \(value)}".utf8)
        guard case .sample(let sample) = maker.take(payload, at: .distantFuture) else { return nil }
        return sample.time.microseconds
    }

    @Test(
        arguments: [
            (.s, "1772366400.25", moment), (.s, "\"1772366400.25\"", moment),
            (.s, "1772366400", moment - 250_000), (.s, "\"1772366400\"", moment - 250_000),
            (.s, "1.77236640025e9", moment), (.ms, "1772366400250", moment),
            (.ms, "1772366400250.5", moment + 500), (.us, "1772366400250000", moment),
            (.us, "\"1772366400250000\"", moment), (.ns, "1772366400250000999", moment),
            (.ns, "\"1772366400250000000\"", moment), (.rfc3339, "\"\(text)\"", moment),
            (.rfc3339, "\"2026-03-01T13:00:00.25+01:00\"", moment),
        ] as [(TimeRule.Form, String, Int64)])
    func `a time is parsed in each form`(form: TimeRule.Form, value: String, time: Int64) throws {
        #expect(try Self.moment(value, form) == time)
    }

    @Test(
        arguments: [
            (.s, "\"noon\""), (.s, "true"), (.s, "null"), (.s, "[1772366400]"), (.s, "1e300"),
            (.s, "9223372036854775807"), (.ms, "9223372036854775807"), (.s, "\"\""),
            (.rfc3339, "1772366400"), (.rfc3339, "\"2026-02-30T00:00:00Z\""),
            (.rfc3339, "\"2026-03-01\""), (.s, "0"), (.s, "-1"), (.s, "-9223372036854775808"),
            // Seconds read as milliseconds are in 1970; 0 is from a clock that was never set.
            (.ms, "1772366400"), (.us, "1772366400250"),
        ] as [(TimeRule.Form, String)])
    func `an invalid or implausible time is rejected`(form: TimeRule.Form, value: String) throws {
        #expect(try Self.moment(value, form) == nil)
    }

    @Test(arguments: TimeRule.Form.allCases)
    func `times before the year 2000 are rejected`(form: TimeRule.Form) throws {
        let (first, before) =
            switch form {
            case .s: ("946684800", "946684799")
            case .ms: ("946684800000", "946684799999")
            case .us: ("946684800000000", "946684799999999")
            case .ns: ("946684800000000000", "946684799999999999")
            case .rfc3339: ("\"2000-01-01T00:00:00Z\"", "\"1999-12-31T23:59:59.999999Z\"")
            }
        #expect(try Self.moment(first, form) == TimeRule.earliest.microseconds)
        #expect(try Self.moment(before, form) == nil)
    }
}
