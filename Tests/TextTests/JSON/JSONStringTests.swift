import Testing
import Text

/// String literals are valid by RFC 8259 and are parsed to the same text.
struct JSONStringTests {
    @Test(arguments: [
        ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("é 🏴", "\"é 🏴\""),
        ("a\nb\u{0}\u{1f}", #""a\nb\u0000\u001f""#),
        ("\u{7f}\u{2028}\u{2029}\u{2027}\u{202a}", "\"\\u007f\\u2028\\u2029\u{2027}\u{202a}\""),
    ])
    func `characters that need it are escaped`(text: String, literal: String) throws {
        #expect(JSONString.literal(text) == literal)
        #expect(try StrictJSON().parse(Array(literal.utf8)).string == text)
    }

    @Test func `a computed value can be written and read`() throws {
        let value = JSONValue([
            "a": JSONValue([JSONValue(1), JSONValue(0.5), JSONValue(Double.nan)]),
            "b": JSONValue("x"),
        ])
        let read = try StrictJSON().parse(Array(value.text().utf8))
        #expect(read["a"]?.array?.map(\.number?.literal) == ["1", "0.5", nil])
        #expect(read["b"]?.string == "x")
    }
}
