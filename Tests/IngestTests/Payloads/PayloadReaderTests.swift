import Ingest
import Samples
import TestSupport
import Testing

struct PayloadReaderTests {
    private static func values(
        _ format: PayloadFormat, _ names: [String], _ payload: String
    ) throws -> [Value?]? {
        try PayloadReader(format, names: names).values(of: Array(payload.utf8))
    }

    @Test(
        arguments: [
            (#"{"t": 1, "h": "x"}"#, [.integer(1), .text("x")]),
            (#"{"t": 1.50}"#, [.number(1.5), nil]),
            (#"{"t": null, "h": true}"#, [nil, .text("true")]),
            (#"{"t": [1], "h": {}}"#, [nil, nil]), ("{}", [nil, nil]), ("5", [nil, nil]),
            (#"{"t": 9223372036854775807}"#, [.integer(.max), nil]),
            (#" {"t": 1e2}"# + "\n", [.integer(100), nil]),
            (#"{"t": 1"#, nil), ("", nil), (#"{"t": NaN}"#, nil), (#"{"t": 1, "t": 2}"#, nil),
            (#"{"t": 1e400}"#, nil), ("\u{FEFF}{}", nil),
        ] as [(String, [Value?]?)])
    func `JSON is parsed strictly and selected by paths`(payload: String, values: [Value?]?) throws
    {
        #expect(try Self.values(.json, ["t", "$.h"], payload) == values)
    }

    @Test(
        arguments: [
            ("1,2,3", [.text("1"), .text("3")]), ("1, 2 , 3 ", [.text("1"), .text("3")]),
            ("1", [.text("1"), nil]), (",,", [nil, nil]), ("\"a\",b,\"\"", [.text("a"), nil]),
            ("\t1\t,2,3", [.text("1"), .text("3")]), ("1,2,3,4,5", [.text("1"), .text("3")]),
            ("", nil), ("1,2,\u{1}", nil),
        ] as [(String, [Value?]?)])
    func `columns are counted from 1`(payload: String, values: [Value?]?) throws {
        #expect(try Self.values(.csv(separator: ","), ["1", "3"], payload) == values)
    }

    @Test func `columns can have another separator, and invalid text is rejected`() throws {
        #expect(try Self.values(.csv(separator: ";"), ["2"], "1;2,5") == [.text("2,5")])
        let reader = try PayloadReader(.csv(separator: "\t"), names: ["2"])
        #expect(reader.values(of: Array("a\tb".utf8)) == [.text("b")])
        #expect(reader.values(of: [0x61, 0x09, 0xFF]) == nil)
    }

    @Test(
        arguments: [
            ("Battery Level: 97.7%", [.text("97.7%"), nil]),
            ("BATTERY  level = 3", [.text("3"), nil]),
            ("battery level=1, door: open", [.text("1"), .text("open")]),
            ("door=open; battery level=1", [.text("1"), .text("open")]),
            ("door: 12:30", [nil, .text("12:30")]), ("other: 1", [nil, nil]),
            ("door: a, door: b", nil), ("door", nil), ("door:", nil), (": 1", nil), ("", nil),
            ("door: 1,", [nil, .text("1")]), ("door: \"a b\"", [nil, .text("a b")]),
        ] as [(String, [Value?]?)])
    func `keys are matched regardless of case and spaces`(payload: String, values: [Value?]?)
        throws
    {
        #expect(try Self.values(.keyValue, ["Battery Level", "Door"], payload) == values)
    }

    @Test(arguments: [(1, true), (64, true), (65, false), (66, false), (200, false)])
    func `a line has at most 64 pairs`(count: Int, isAccepted: Bool) throws {
        let line = (1...count).map { "k\($0): v\($0)" }.joined(separator: ", ")
        let value = Value.text("v\(count)")
        for end in ["", ","] {
            #expect(
                try Self.values(.keyValue, ["k\(count)"], line + end)
                    == (isAccepted ? [value] : nil))
        }
    }

    @Test(
        arguments: [
            ("T=1 H=2", [.text("1"), .text("2"), .text("T=1 H=2")]),
            ("T=1", [.text("1"), nil, .text("T=1")]),
            ("xT=1", nil), ("T=1x", nil), ("", nil), ("T=", nil),
        ] as [(String, [Value?]?)])
    func `a pattern matches a whole line, and its groups are values`(
        payload: String, values: [Value?]?
    ) throws {
        let pattern = PayloadFormat.pattern(#"T=(?<t>\d+)(?: H=(\d+))?"#)
        #expect(try Self.values(pattern, ["t", "2", "0"], payload) == values)
    }

    @Test(arguments: ["(a+)+b", "(a|aa)+$b", "(?:a?){35}a{35}b", "(?:a+){1,64}b"])
    func `a pattern with exponential cost is aborted`(pattern: String) throws {
        let reader = try PayloadReader(.pattern("(?<x>\(pattern))"), names: ["x"])
        for length in [40, 4000] {
            let time = processorTime {
                #expect(reader.values(of: [UInt8](repeating: 0x61, count: length)) == nil)
            }
            #expect(time < .seconds(10))
        }
    }

    @Test(
        arguments: [
            (" 23.5 ", [.text("23.5"), .text("23.5")]), ("\"on\"", [.text("on"), .text("on")]),
            ("", nil), ("  ", nil), ("\"\"", nil), ("\"", [.text("\""), .text("\"")]),
        ] as [(String, [Value?]?)])
    func `a plain payload is the value of every field`(payload: String, values: [Value?]?) throws {
        #expect(try Self.values(.plain, ["a", "b"], payload) == values)
    }

    @Test func `bytes are decoded by their form`() throws {
        let reader = try PayloadReader(.bytes, names: ["s16/100", "u16", "u8"])
        #expect(reader.values(of: [0x2E, 0x09]) == [.number(23.5), .integer(2350), nil])
        #expect(reader.values(of: [1, 2, 3]) == nil)
        #expect(reader.values(of: []) == nil)
    }

    @Test func `a payload that is too large is rejected`() throws {
        let reader = try PayloadReader(.json, names: ["$"])
        let digits = [UInt8](repeating: 0x20, count: PayloadReader.limit - 1) + [0x31]
        #expect(reader.values(of: digits) == [.integer(1)])
        #expect(reader.values(of: [0x20] + digits) == nil)
    }

    @Test(
        arguments: [
            (.json, ["a..b"]), (.csv(separator: ","), ["0"]), (.csv(separator: ","), ["x"]),
            (.csv(separator: ","), ["257"]), (.csv(separator: "é"), ["1"]),
            (.pattern("(a"), ["1"]), (.pattern("a"), ["1"]), (.pattern("(?<a>x)"), ["b"]),
            (.pattern("(a)"), ["-1"]), (.pattern("a)|(b"), ["1"]),
            (.pattern(String(repeating: "a", count: 1025)), ["0"]), (.bytes, ["u7"]),
        ] as [(PayloadFormat, [String])])
    func `names that the format does not allow are rejected`(format: PayloadFormat, names: [String])
    {
        #expect(throws: PayloadError.self) { try PayloadReader(format, names: names) }
    }
}
