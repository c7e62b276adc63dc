import Testing
import Text

@Suite struct StrictJSONTests {
    private func parse(_ text: String, trailing: Bool = false) throws -> JSONValue {
        try StrictJSON(allowsTrailingCommas: trailing).parse(Array(text.utf8))
    }

    @Test func `every kind of value is parsed with its position`() throws {
        let value = try parse(
            "{\"a\": [1, -2.5e1, true,\n  null], \"é\\u0021\": \"\\ud83d\\ude00\"}")
        let members = try #require(value.object)
        #expect(members.map(\.key) == ["a", "é!"])
        let list = try #require(value["a"]?.array)
        #expect(list[0].number?.int64 == 1)
        #expect(list[1].number?.double == -25)
        #expect(list[1].number?.literal == "-2.5e1")
        #expect(list[1].number?.int64 == -25)
        #expect(list[2].bool == true)
        #expect(list[3].isNull)
        #expect(list[3].position == JSONPosition(line: 2, column: 3))
        #expect(members[1].position == JSONPosition(line: 2, column: 10))
        #expect(value["é!"]?.string == "😀")
        #expect(value["é!"]?.position == JSONPosition(line: 2, column: 21))
    }

    @Test func `integers keep all their digits`() throws {
        #expect(try parse("9223372036854775807").number?.int64 == .max)
        #expect(try parse("9223372036854775808").number?.int64 == nil)
        #expect(try parse("1.5").number?.int64 == nil)
        #expect(try parse("1e-400").number?.double == 0)
    }

    @Test func `a trailing comma is accepted only if the option allows it`() throws {
        for text in ["[1,]", "{\"a\":1,}", "[[1,],]"] {
            #expect(throws: JSONSyntaxError.self) { try parse(text) }
            #expect(throws: Never.self) { try parse(text, trailing: true) }
        }
        for text in ["[,]", "[1,,]", "{,}", "{\"a\":1,,}", "1,"] {
            #expect(throws: JSONSyntaxError.self) { try parse(text, trailing: true) }
        }
    }

    @Test(arguments: [
        ("", 1, 1), (" \n ", 2, 2), ("[1", 1, 3), ("[1 2]", 1, 4), ("{\"a\":1,\n\"a\":2}", 2, 1),
        ("{\"a\":1,\n \"\\u0061\":2}", 2, 2), ("NaN", 1, 1), ("-Infinity", 1, 1), ("1e400", 1, 1),
        ("[1] // no", 1, 5), ("/* no */ 1", 1, 1), ("\"\\ud800\"", 1, 2), ("\"\\ude00\"", 1, 2),
        ("\"\\ud800\\u0041\"", 1, 2), ("\"\\x\"", 1, 2), ("\"\\u12g4\"", 1, 2), ("\"a", 1, 3),
        ("\"é\u{1}\"", 1, 3), ("\"\n\"", 1, 2), ("01", 1, 1), ("1.", 1, 1), (".5", 1, 1),
        ("+1", 1, 1), ("1e", 1, 1), ("--1", 1, 1), ("tru", 1, 1), ("nulll", 1, 5), ("{1:2}", 1, 2),
        ("{\"a\" 1}", 1, 6), ("'a'", 1, 1), ("[\"😀\", x]", 1, 7), ("1 1", 1, 3), ("]", 1, 1),
        ("{\"e\u{301}\":1, \"\u{e9}\":2}", 1, 10), ("\u{FEFF}1", 1, 1),
    ])
    func `invalid JSON is rejected with its position`(
        _ text: String, _ line: Int, _ column: Int
    ) throws {
        let error = try #require(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error.position == JSONPosition(line: line, column: column), "\(error)")
        #expect(!error.message.isEmpty)
    }

    @Test func `bytes that are not UTF-8 are rejected with their position`() throws {
        for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            let error = try #require(throws: JSONSyntaxError.self) {
                try StrictJSON().parse(Array("[\n \"é".utf8) + bad + Array("\"]".utf8))
            }
            #expect(error.position == JSONPosition(line: 2, column: 4))
        }
    }

    @Test func `size and depth are limited`() throws {
        let nested = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(throws: Never.self) { try parse(nested) }
        #expect(throws: JSONSyntaxError.self) { try parse("[" + nested + "]") }
        #expect(throws: JSONSyntaxError.self) {
            try parse(String(repeating: "[", count: 200_000))
        }
        #expect(throws: JSONSyntaxError.self) {
            try StrictJSON(maximumDepth: .max).parse(Array(repeating: 0x5B, count: 9000))
        }
        #expect(throws: JSONSyntaxError.self) {
            try parse("\"" + String(repeating: "a", count: 256 * 1024) + "\"")
        }
    }

    @Test func `an error never carries a terminal sequence`() throws {
        for text in ["\u{1b}[2J", "{\"\u{202e}\":1,\"\u{202e}\":2}"] {
            let error = try #require(throws: JSONSyntaxError.self) { try parse(text) }
            #expect(error.message.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
        }
    }
}
