import Samples
import Testing

@testable import Ingest

struct AcceptedSamplesTests {
    private static let json = [
        #"{"t":1.5,"x":1,"y":-2.5}"#, #"[{"t":1.5,"x":1,"y":-2.5}]"#,
        #"{"samples":[{"y":-25e-1,"x":1.0,"t":1.500}]}"#,
        " {\r\n\t\"y\" : -2.5 , \"t\" : 1.5 , \"\\u0078\" : 1 } \n",
        #" [ { "x" : 1E0 , "y":-0.25e+1,"t":0.15E1 } ] "#,
        " { \"samples\" :\n [\n{\"t\":\"1970-01-01T00:00:00.0015Z\",\"x\":1,\"y\":-2.5}\n]\n}\n",
    ]
    private static let lines = [
        "{\"t\":1.5,\"x\":1,\"y\":-2.5}", "{\"t\":1.5,\"x\":1,\"y\":-2.5}\n\n",
        "\n { \"x\" : 1 , \"t\" : 15e-1,\"y\":-2.5 } \r\n",
    ]
    private static let csv = [
        "t,x,y\n1.5,1,-2.5", "y,x,t\r\n-2.5,1,1.5\r\n",
        "\"t\",\"x\",\"y\"\r\n\"1.5\",\"1\",\"-2.5\"\r\n",
        "x,y,t\n1e0,-25E-1,1970-01-01T01:00:00.001500+01:00\n",
        "x,y,t\n1,-2.5,\"1970-01-01T00:00:00.0015Z\"",
    ]

    @Test(arguments: [(SampleFormat.json, json), (.ndjson, lines), (.csv, csv)])
    func `every format gives the same sample, however the input is split`(
        format: SampleFormat, texts: [String]
    ) throws {
        let wanted = SampleBatch(
            times: [Timestamp(microseconds: 1500)], columns: [.numbers([1]), .numbers([-2.5])])
        for text in texts {
            for piece in 1...text.utf8.count {
                #expect(
                    try TestParser.samples(text, format, piece: piece) == wanted,
                    "\(text) in pieces of \(piece)")
            }
        }
    }

    @Test(arguments: [
        (SampleFormat.json, #"[{"x":1,"y":2},{"y":4,"x":3}]"#),
        (.ndjson, "{\"x\":1,\"y\":2}\n{\"y\":4,\"x\":3}\n"), (.csv, "y,x\n2,1\n4,3\n"),
    ])
    func `a sample without a time has the current time`(format: SampleFormat, text: String) throws {
        let batch = try TestParser.samples(text, format)
        #expect(batch.times == [TestParser.now, TestParser.now])
        #expect(batch.columns == [.numbers([1, 3]), .numbers([2, 4])])
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("0.0005", 1), ("0.0004999999", 0), ("-0.0015", -2),
            ("1e3", 1_000_000),
            ("1772366400000.2501", 1_772_366_400_000_250),
            ("1772366400000.001", 1_772_366_400_000_001),
            ("9223372036854775.806", .max - 1), ("-9223372036854775.807", -.max),
            ("1.7723664e12", 1_772_366_400_000_000),
            ("\"2026-03-01T12:00:00Z\"", 1_772_366_400_000_000),
        ] as [(String, Int64)])
    func `times are rounded to the nearest microsecond`(text: String, microseconds: Int64) throws {
        let batch = try TestParser.samples(#"{"t":\#(text),"x":1,"y":1}"#, .ndjson)
        #expect(batch.times == [Timestamp(microseconds: microseconds)])
    }

    @Test(arguments: [
        (#""""#, ""), (#""on""#, "on"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u00e9\uD83D\uDE00é😀""#, "é😀é😀"), (#""\u0000""#, "\0"),
    ])
    func `JSON texts are decoded, however the input is split`(text: String, value: String) throws {
        let line = #"{"level":1,"total":2,"state":"s","note":\#(text)}"#
        for piece in 1...line.utf8.count {
            let batch = try TestParser.samples(line, .ndjson, of: TestParser.gauge, piece: piece)
            #expect(batch.columns[3] == .texts([value]))
        }
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("\"\"", ""), ("", ""),
        ("\"a,\"\"b\"\"\r\nc\"", "a,\"b\"\r\nc"),
        ("é", "é"), ("\"\u{1}\"", "\u{1}"),
    ])
    func `CSV texts are decoded, however the input is split`(text: String, value: String) throws {
        let file = "level,total,state,note\n1,2,s,\(text)\n3,4,t,u\n"
        for piece in 1...file.utf8.count {
            let batch = try TestParser.samples(file, .csv, of: TestParser.gauge, piece: piece)
            #expect(batch.columns[3] == .texts([value, "u"]))
            #expect(batch.columns[1] == .integers([2, 4]))
        }
    }

    @Test(
        arguments: [
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("1e3", 1000),
            ("2.0", 2),
            ("9007199254740993", 9_007_199_254_740_993), ("-0", 0),
        ] as [(String, Int64)])
    func `integers are kept exactly`(text: String, value: Int64) throws {
        let line = #"{"level":1,"total":\#(text),"state":"","note":""}"#
        let batch = try TestParser.samples(line, .ndjson, of: TestParser.gauge)
        #expect(batch.columns[1] == .integers([value]))
    }
}
