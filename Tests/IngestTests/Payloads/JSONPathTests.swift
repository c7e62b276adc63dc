import Ingest
import Testing
import Text

struct JSONPathTests {
    private static let document = #"""
        {"main": {"temp": 28.2, "a.b": 1, "it's": 2}, "values": [10, [20, 21]], "": 3, "$": 4,
         "flag": true, "none": null}
        """#

    private static func value(_ path: String) throws -> JSONValue.Content? {
        let whole = try StrictJSON().parse(Array(document.utf8))
        return try JSONPath(path).value(in: whole)?.content
    }

    @Test(
        arguments: [
            ("$.main.temp", "28.2"), ("main.temp", "28.2"), ("$['main']['temp']", "28.2"),
            ("$[\"main\"].temp", "28.2"), ("main['a.b']", "1"), ("main[\"it's\"]", "2"),
            ("$.values[0]", "10"), ("values[1][1]", "21"), ("['']", "3"), ("['$']", "4"),
        ])
    func `a path selects one value`(path: String, literal: String) throws {
        guard case .number(let number) = try Self.value(path) else {
            Issue.record("\(path) leads nowhere")
            return
        }
        #expect(number.literal == literal)
    }

    @Test(arguments: [
        "main.none", "values[2]", "values.0", "main[0]", "flag.x", "none.x", "values[0][0]",
    ])
    func `a path without a match gives nothing`(path: String) throws {
        #expect(try Self.value(path) == nil)
    }

    @Test func `the path $ selects the whole document`() throws {
        let whole = try StrictJSON().parse(Array("7".utf8))
        #expect(try JSONPath("$").value(in: whole) == whole)
    }

    @Test(arguments: [
        "", "$main", "$.", ".", "a..b", "$..a", "$.*", "a[*]", "a[", "a[0", "a[]", "a[-1]",
        "a['b'", "a['b", "a['b'x]", "a[0]b", "a]", "a'b", "a[1234567]", "a[0:2]", "a[?(@.b)]",
        "[٣]", String(repeating: "a.", count: 32) + "a",
    ])
    func `an invalid path is rejected`(path: String) {
        #expect(throws: PayloadError.self) { try JSONPath(path) }
    }
}
