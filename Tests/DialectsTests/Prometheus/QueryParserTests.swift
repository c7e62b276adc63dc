import Testing

@testable import Dialects

struct QueryParserTests {
    @Test(arguments: [
        "1 + 1", "-2 ^ 2", "0x1F", "1e-3", "Inf", "-NaN", "(1)", "x", "x:y", "x{}", "{a=\"b\"}",
        #"x{a="b",c!='d',e=~`f.*`,g!~"h\"i",}"#, "x offset 5m", "x offset -1h30m",
        "avg_over_time(x[5m])", "quantile_over_time(0.9, x{a=\"b\"}[1d] offset 1w)",
        "rate(x[1h]) * 60", "100 - x", "sum(x)", "sum by (a, b) (x) / 2",
        "max(rate(x[5m])) without (field) > 3", "x > bool 3", "count(x > 3) # a comment",
        "avg(x) by (sensor)", "-x", "2 * (x + 1) % 3", "last_over_time(x[30s])", "sum", "by",
    ])
    func `a supported query is understood`(query: String) throws {
        _ = try QueryParser.parse(query)
    }

    @Test(arguments: [
        ("x and y", "and"), ("x + y", "+ between two vectors"), ("x + on(a) 3", "on is not"),
        ("topk(3, x)", "topk"), ("histogram_quantile(0.9, x)", "histogram_quantile"),
        ("irate(x[5m])", "irate"), ("x[5m]", "range"), ("rate(x[5m:1m])", "Subqueries"),
        ("rate(rate(x[5m])[5m:])", "Subqueries"), ("x @ 5", "@"), ("\"text\"", "text"),
        ("abs(x)", "abs"), ("1 > 2", "bool"), ("{a=\"\"}", "selector"), ("{a=~\".*\"}", "selector"),
        ("sum(1)", "vector"), ("quantile_over_time(2, x[5m])", "from 0 to 1"),
        ("quantile_over_time(x, x[5m])", "must be a number"), ("x{a=b}", "quotation"),
        ("", "expected"), ("x y", "end of the query"), ("(x", ")"), ("rate(x)", "["),
        ("rate(x[0s])", "duration"), ("rate(x[5])", "duration"), ("5m", "duration"),
        ("x{a=~\"(\"}", "regular expression"), ("'a", "unterminated string"), ("§", "position 1"),
        ("1 + bool 2", "bool"), ("x offset y", "duration"), ("5x", "neither"),
        (String(repeating: "(", count: 2000), "nested"),
        (String(repeating: "-", count: 2000) + "1", "nested"),
        (String(repeating: "x", count: 10_001), "at most"),
    ])
    func `what is not understood is refused by name`(query: String, part: String) {
        let error = #expect(throws: PrometheusError.self) { try QueryParser.parse(query) }
        #expect(error?.code == .badData)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("-2 ^ 2", -4), ("2 ^ 3 ^ 2", 512), ("1 - 2 - 3", -4), ("2 + 3 * 4", 14),
        ("7 % 4 / 2", 1.5),
        ("(1 + 2) * 3", 9), ("2 > bool 1", 1), ("1 + 1 == bool 2", 1), ("0x10 * .5", 8),
        ("- - 3", 3), ("2 * -3", -6),
    ])
    func `operators bind as in Prometheus`(query: String, expected: Double) throws {
        #expect(try QueryParser.parse(query).constant == expected)
    }

    @Test(arguments: [
        ("5m", 300_000_000), ("1h30m", 5_400_000_000), ("250ms", 250_000),
        ("1y", 31_536_000_000_000),
        ("1w2d", 777_600_000_000),
    ])
    func `durations are read`(text: String, expected: Int64) {
        #expect(PrometheusDuration.microseconds(text) == expected)
    }

    @Test(arguments: [
        "", "5", "m", "5 m", "-5m", "5mm", "1.5h", "99999999999y", "9223372036854775807ms",
    ])
    func `other texts are not durations`(text: String) {
        #expect(PrometheusDuration.microseconds(text) == nil)
    }
}
