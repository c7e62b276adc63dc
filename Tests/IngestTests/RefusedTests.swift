import Samples
import Testing

@testable import Ingest

struct RefusedTests {
    @Test(arguments: [
        ("", "400 line 1, sample 1: the text ends"),
        ("[]", "422 line 1, sample 1: there is no sample"),
        (#"{"samples":[]}"#, "422 line 1, sample 1: there is no sample"),
        ("{", "400 line 1, sample 1: the text ends"), ("1", "400 line 1, sample 1: this is not"),
        (#"{"x":1}"#, "422 line 1, sample 1, field y: the field is missing"),
        ("[{\"x\":1,\"y\":2},\n{\"y\":2}]", "422 line 2, sample 2, field x: the field is missing"),
        (
            #"{"x":1,"y":2,"z":3}"#,
            "422 line 1, sample 1, field \"z\": the sensor has no such field"
        ),
        (#"{"x":1,"x":2,"y":3}"#, "400 line 1, sample 1, field x: the field stands here twice"),
        (
            #"{"t":1,"t":2,"x":1,"y":3}"#,
            "400 line 1, sample 1, field t: the field stands here twice"
        ),
        (
            #"{"x":1,"\u0078":2,"y":3}"#,
            "400 line 1, sample 1, field x: the field stands here twice"
        ),
        (#"{"x":null,"y":2}"#, "422 line 1, sample 1, field x: the value is missing"),
        (#"{"x":"1","y":2}"#, "422 line 1, sample 1, field x: the value is no number"),
        (#"{"x":true,"y":2}"#, "422 line 1, sample 1, field x: the value is no number"),
        (#"{"x":[1],"y":2}"#, "422 line 1, sample 1, field x: a list or an object"),
        (#"{"x":{"a":1},"y":2}"#, "422 line 1, sample 1, field x: a list or an object"),
        (#"{"x":1e400,"y":2}"#, "422 line 1, sample 1, field x: the number is not finite"),
        (#"{"x":NaN,"y":2}"#, "400 line 1, sample 1, field x: this is not"),
        (#"{"x":-Infinity,"y":2}"#, "422 line 1, sample 1, field x: the value is no number"),
        (#"{"x":01,"y":2}"#, "422 line 1, sample 1, field x: the value is no number"),
        (#"{"x":1.,"y":2}"#, "422 line 1, sample 1, field x: the value is no number"),
        (#"{"x":.5,"y":2}"#, "400 line 1, sample 1, field x: this is not"),
        (#"{"x":+1,"y":2}"#, "400 line 1, sample 1, field x: this is not"),
        (#"{"x":0x1,"y":2}"#, "400 line 1, sample 1: this is not"),
        (#"{"x":1 2,"y":2}"#, "400 line 1, sample 1: this is not"),
        (#"{"x":1,"y":2,}"#, "400 line 1, sample 1: this is not"),
        (#"[{"x":1,"y":2},]"#, "400 line 1, sample 2: this is not"),
        (#"[{"x":1,"y":2}"#, "400 line 1, sample 2: the text ends"),
        (#"{"x":1,"y":2}{"x":1,"y":2}"#, "400 line 1, sample 2: something follows"),
        (#"{"samples":[{"x":1,"y":2}],"more":1}"#, "400 line 1, sample 2: this is not"),
        (#"{"t":1e300,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is neither"),
        (#"{"t":9223372036854775.807,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is"),
        (#"{"t":"yesterday","x":1,"y":2}"#, "422 line 1, sample 1, field t: the time is neither"),
        (#"{"t":null,"x":1,"y":2}"#, "422 line 1, sample 1, field t: the value is missing"),
        ("\u{FEFF}{}", "400 line 1, sample 1: the text begins with a byte order mark"),
        ("/* */{}", "400 line 1, sample 1: this is not"),
    ])
    func `JSON that is not what the sensor holds is refused`(text: String, fault: String) {
        for piece in [1, 2, 3, 7, 1 << 16] {
            let found = Parsing.fault(Array(text.utf8), .json, piece: piece)
            #expect(found.hasPrefix(fault), "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test(arguments: [
        (#""\uD800""#, "400", "half of a surrogate"), (#""\uDC00\uD800""#, "400", "half of a"),
        (#""\uD83Dx""#, "400", "half of a"), (#""\x""#, "400", "this is no escape"),
        (#""\u12g4""#, "400", "this is no escape"), ("\"a\tb\"", "400", "a control character"),
        ("\"a\nb\"", "400", "a control character"), ("1", "422", "the value is no text"),
        ("false", "422", "the value is no text"),
        (
            "\"a" + String(repeating: "\u{301}", count: 31) + "\"", "422",
            "the text has more than 30"
        ),
        ("\"" + String(repeating: "a", count: 65537) + "\"", "422", "the text has more than 65536"),
    ])
    func `a text of JSON that is none is refused`(text: String, status: String, fault: String) {
        let line = #"{"level":1,"total":2,"state":"s","note":\#(text)}"#
        let found = Parsing.fault(Array(line.utf8), .ndjson, of: Parsing.gauge)
        #expect(found.hasPrefix("\(status) line 1, field note: \(fault)"), "\(found)")
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused in every form`(bytes: [UInt8]) {
        let before = Array("level,total,state,note\n1,2,s,".utf8)
        let csv = Parsing.fault(before + bytes + [0x0A], .csv, of: Parsing.gauge)
        #expect(csv.hasPrefix("400 line 2, field note: this is not UTF-8"), "\(csv)")
        let line = Array(#"{"level":1,"total":2,"state":"s","note":""#.utf8)
        let json = Parsing.fault(line + bytes + Array("\"}".utf8), .ndjson, of: Parsing.gauge)
        #expect(json.hasPrefix("400 line 1, field note: this is not UTF-8"), "\(json)")
        let key = Array(#"{"x":1,"y":2,""#.utf8) + bytes + Array(#"":3}"#.utf8)
        #expect(Parsing.fault(key, .ndjson).hasPrefix("422 line 1, field "))
    }

    @Test(arguments: [
        ("{\"x\":1,\"y\":2}\n{\"x\":1}\n", "422 line 2, field y: the field is missing"),
        ("{\"x\":1,\"y\":2}\n\n\n{\"x\":1,\"y\":2} {}\n", "400 line 4: this is not"),
        ("[{\"x\":1,\"y\":2}]", "400 line 1: this is not"),
        ("{\"x\":1,\n\"y\":2}", "400 line 1: this is not"),
    ])
    func `a line that is no sample is named`(text: String, fault: String) {
        for piece in [1, 5, 1 << 16] {
            let found = Parsing.fault(Array(text.utf8), .ndjson, piece: piece)
            #expect(found.hasPrefix(fault), "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test(arguments: [
        ("", "400 line 1: the header line is missing"),
        ("x\n1\n", "422 line 1, field y: the field"),
        ("x,y\n", "422 line 2: there is no sample"), ("x,y,x\n", "400 line 1, field x: the field"),
        ("x,y,z\n1,2,3\n", "422 line 1, field \"z\": the sensor has no such field"),
        ("x,y\n1,2,3\n", "400 line 2: there are more or fewer cells"),
        ("x,y\n1,2\n3\n", "400 line 3: there are more or fewer cells"),
        ("x,y\n1,2\n\n3,4\n", "400 line 3: the line is empty"),
        ("x,y\n1,two\n", "422 line 2, field y: the value is no number"),
        ("x,y\n1,\n", "422 line 2, field y: the value is no number"),
        ("x,y\n1, 2\n", "422 line 2, field y: the value is no number"),
        ("x,y\n1,1e999\n", "422 line 2, field y: the number is not finite"),
        ("x,y\n1,nan\n", "422 line 2, field y: the value is no number"),
        ("x,y\n1,\"2\"3\n", "400 line 2: a quote stands in a cell"),
        ("x,y\n1,\"2\n", "400 line 3, field y: the text ends"),
        ("t,x,y\nnever,1,2\n", "422 line 2, field t: the time is neither"),
        ("t,x,y\n\"never\",1,2\n", "422 line 2, field t: the time is neither"),
        ("x,y\r1,2\r", "400 line 1: this is not"),
    ])
    func `CSV that is not what the sensor holds is refused`(text: String, fault: String) {
        for piece in [1, 2, 5, 1 << 16] {
            let found = Parsing.fault(Array(text.utf8), .csv, piece: piece)
            // Where nothing tells which field has no end, none is named.
            let isEnd = fault.contains("the text ends") && found.contains("the text ends")
            #expect(found.hasPrefix(fault) || isEnd, "\(text) in pieces of \(piece): \(found)")
        }
    }

    @Test func `more samples than are taken at once are refused`() {
        let text = String(repeating: "{\"x\":1,\"y\":2}\n", count: 11)
        #expect(throws: SampleFault.self) {
            try Parsing.samples(Array(text.utf8), .ndjson, of: Parsing.axes, limit: 10)
        }
        #expect(
            (try? Parsing.samples(Array(text.utf8), .ndjson, of: Parsing.axes, limit: 11)) != nil)
    }

    @Test func `a sample without end is refused before it fills the memory`() {
        let long = Array(repeating: UInt8(ascii: " "), count: 4 << 20)
        let line = Array("{\"x\":1,".utf8) + long
        #expect(Parsing.fault(line, .ndjson).contains("more than 1048576 bytes"))
    }
}
