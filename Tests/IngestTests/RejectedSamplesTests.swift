import Samples
import Testing

@testable import Ingest

struct RejectedSamplesTests {
    @Test(arguments: [
        ("", "400 line 1, sample 1: the input ends"),
        ("[]", "422 line 1, sample 1: there are no samples"),
        (#"{"samples":[]}"#, "422 line 1, sample 1: there are no samples"),
        ("{", "400 line 1, sample 1: the input ends"),
        ("1", "400 line 1, sample 1: unexpected character"),
        (#"{"x":1}"#, "422 line 1, sample 1, field y: the field is missing"),
        ("[{\"x\":1,\"y\":2},\n{\"y\":2}]", "422 line 2, sample 2, field x: the field is missing"),
        (
            #"{"x":1,"y":2,"z":3}"#,
            "422 line 1, sample 1, field \"z\": the sensor has no such field"
        ),
        (#"{"x":1,"x":2,"y":3}"#, "400 line 1, sample 1, field x: the field occurs twice"),
        (
            #"{"t":1,"t":2,"x":1,"y":3}"#,
            "400 line 1, sample 1, field t: the field occurs twice"
        ),
        (
            #"{"x":1,"\u0078":2,"y":3}"#,
            "400 line 1, sample 1, field x: the field occurs twice"
        ),
        (#"{"x":null,"y":2}"#, "422 line 1, sample 1, field x: the value is missing"),
        (#"{"x":"1","y":2}"#, "422 line 1, sample 1, field x: the value is not a number"),
        (#"{"x":true,"y":2}"#, "422 line 1, sample 1, field x: the value is not a number"),
        (#"{"x":[1],"y":2}"#, "422 line 1, sample 1, field x: an array or object"),
        (#"{"x":{"a":1},"y":2}"#, "422 line 1, sample 1, field x: an array or object"),
        (#"{"x":1e400,"y":2}"#, "422 line 1, sample 1, field x: the number is not finite"),
        (#"{"x":NaN,"y":2}"#, "400 line 1, sample 1, field x: unexpected character"),
        (#"{"x":-Infinity,"y":2}"#, "422 line 1, sample 1, field x: the value is not a number"),
        (#"{"x":01,"y":2}"#, "422 line 1, sample 1, field x: the value is not a number"),
        (#"{"x":1.,"y":2}"#, "422 line 1, sample 1, field x: the value is not a number"),
        (#"{"x":.5,"y":2}"#, "400 line 1, sample 1, field x: unexpected character"),
        (#"{"x":+1,"y":2}"#, "400 line 1, sample 1, field x: unexpected character"),
        (#"{"x":0x1,"y":2}"#, "400 line 1, sample 1: unexpected character"),
        (#"{"x":1 2,"y":2}"#, "400 line 1, sample 1: unexpected character"),
        (#"{"x":1,"y":2,}"#, "400 line 1, sample 1: unexpected character"),
        (#"[{"x":1,"y":2},]"#, "400 line 1, sample 2: unexpected character"),
        (#"[{"x":1,"y":2}"#, "400 line 1, sample 2: the input ends"),
        (
            #"{"x":1,"y":2}{"x":1,"y":2}"#,
            "400 line 1, sample 2: unexpected input after the samples"
        ),
        (#"{"samples":[{"x":1,"y":2}],"more":1}"#, "400 line 1, sample 2: unexpected character"),
        (#"{"t":1e300,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is neither"),
        (#"{"t":9223372036854775.807,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is"),
        (#"{"t":"yesterday","x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is neither"),
        (#"{"t":null,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the value is missing"),
        ("\u{FEFF}{}", "400 line 1, sample 1: the input begins with a byte order mark"),
        ("/* */{}", "400 line 1, sample 1: unexpected character"),
    ])
    func `JSON that does not match the sensor is rejected`(text: String, fault: String) {
        for piece in [1, 2, 3, 7, 1 << 16] {
            let found = TestParser.fault(Array(text.utf8), .json, piece: piece)
            #expect(found.hasPrefix(fault), "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test(arguments: [
        (#""\uD800""#, "400", "unpaired surrogate"),
        (#""\uDC00\uD800""#, "400", "unpaired surrogate"),
        (#""\uD83Dx""#, "400", "unpaired surrogate"), (#""\x""#, "400", "invalid escape sequence"),
        (#""\u12g4""#, "400", "invalid escape sequence"),
        ("\"a\tb\"", "400", "a text contains a control character"),
        ("\"a\nb\"", "400", "a text contains a control character"),
        ("1", "422", "the value is not a text"),
        ("false", "422", "the value is not a text"),
        (
            "\"a" + String(repeating: "\u{301}", count: 31) + "\"", "422",
            "the text has more than 30"
        ),
        ("\"" + String(repeating: "a", count: 65537) + "\"", "422", "the text has more than 65536"),
    ])
    func `an invalid JSON text is rejected`(text: String, status: String, fault: String) {
        let line = #"{"level":1,"total":2,"state":"s","note":\#(text)}"#
        let found = TestParser.fault(Array(line.utf8), .ndjson, of: TestParser.gauge)
        #expect(found.hasPrefix("\(status) line 1, field note: \(fault)"), "\(found)")
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are rejected in every format`(bytes: [UInt8]) {
        let before = Array("level,total,state,note\n1,2,s,".utf8)
        let csv = TestParser.fault(before + bytes + [0x0A], .csv, of: TestParser.gauge)
        #expect(csv.hasPrefix("400 line 2, field note: the text is not valid UTF-8"), "\(csv)")
        let line = Array(#"{"level":1,"total":2,"state":"s","note":""#.utf8)
        let json = TestParser.fault(line + bytes + Array("\"}".utf8), .ndjson, of: TestParser.gauge)
        #expect(json.hasPrefix("400 line 1, field note: the text is not valid UTF-8"), "\(json)")
        let key = Array(#"{"x":1,"y":2,""#.utf8) + bytes + Array(#"":3}"#.utf8)
        #expect(TestParser.fault(key, .ndjson).hasPrefix("422 line 1, field "))
    }

    @Test(arguments: [
        ("{\"x\":1,\"y\":2}\n{\"x\":1}\n", "422 line 2, field y: the field is missing"),
        ("{\"x\":1,\"y\":2}\n\n\n{\"x\":1,\"y\":2} {}\n", "400 line 4: unexpected character"),
        ("[{\"x\":1,\"y\":2}]", "400 line 1: unexpected character"),
        ("{\"x\":1,\n\"y\":2}", "400 line 1: unexpected character"),
    ])
    func `an invalid line is reported with its number`(text: String, fault: String) {
        for piece in [1, 5, 1 << 16] {
            let found = TestParser.fault(Array(text.utf8), .ndjson, piece: piece)
            #expect(found.hasPrefix(fault), "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test(arguments: [
        ("", "400 line 1: the header line is missing"),
        ("x\n1\n", "422 line 1, field y: the field"),
        ("x,y\n", "422 line 2: there are no samples"),
        ("x,y,x\n", "400 line 1, field x: the field"),
        ("x,y,z\n1,2,3\n", "422 line 1, field \"z\": the sensor has no such field"),
        ("x,y\n1,2,3\n", "400 line 2: the number of cells differs"),
        ("x,y\n1,2\n3\n", "400 line 3: the number of cells differs"),
        ("x,y\n1,2\n\n3,4\n", "400 line 3: the line is empty"),
        ("x,y\n1,two\n", "422 line 2, field y: the value is not a number"),
        ("x,y\n1,\n", "422 line 2, field y: the value is not a number"),
        ("x,y\n1, 2\n", "422 line 2, field y: the value is not a number"),
        ("x,y\n1,1e999\n", "422 line 2, field y: the number is not finite"),
        ("x,y\n1,nan\n", "422 line 2, field y: the value is not a number"),
        ("x,y\n1,\"2\"3\n", "400 line 2: an unquoted cell contains a quote"),
        ("x,y\n1,\"2\n", "400 line 3, field y: the input ends"),
        ("t,x,y\nnever,1,2\n", "422 line 2, field t: the time is neither"),
        ("t,x,y\n\"never\",1,2\n", "422 line 2, field t: the time is neither"),
        ("x,y\r1,2\r", "400 line 1: unexpected character"),
    ])
    func `CSV that does not match the sensor is rejected`(text: String, fault: String) {
        for piece in [1, 2, 5, 1 << 16] {
            let found = TestParser.fault(Array(text.utf8), .csv, piece: piece)
            // The field is not named if the unterminated cell could belong to several.
            let isEnd = fault.contains("the input ends") && found.contains("the input ends")
            #expect(found.hasPrefix(fault) || isEnd, "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test func `too many samples are rejected`() {
        let text = String(repeating: "{\"x\":1,\"y\":2}\n", count: 11)
        #expect(throws: SampleFault.self) {
            try TestParser.samples(Array(text.utf8), .ndjson, of: TestParser.axes, limit: 10)
        }
        #expect(
            (try? TestParser.samples(Array(text.utf8), .ndjson, of: TestParser.axes, limit: 11))
                != nil)
    }

    @Test func `an endless sample is rejected in bounded memory`() {
        let long = Array(repeating: UInt8(ascii: " "), count: 4 << 20)
        let line = Array("{\"x\":1,".utf8) + long
        #expect(TestParser.fault(line, .ndjson).contains("more than 1048576 bytes"))
    }
}
