import Samples
import Testing

@testable import Ingest

struct LineProtocolTests {
    private static func only(_ text: String) throws -> LinePoint {
        let content = try LineProtocolReader.content(Array(text.utf8))
        #expect(content.faults.isEmpty, "\(content.faults)")
        return try #require(content.points.first)
    }

    @Test(
        arguments: [
            ("m f=1", ["f": .number(1)]), ("m f=-1.5e3", ["f": .number(-1500)]),
            ("m f=12i", ["f": .integer(12)]), ("m f=-9223372036854775808i", ["f": .integer(.min)]),
            ("m f=12u", ["f": .integer(12)]),
            ("m f=18446744073709551615u", ["f": .number(0x1p64)]),
            (
                "m f=t,g=F,h=true,i=FALSE",
                [
                    "f": .text("true"), "g": .text("false"), "h": .text("true"),
                    "i": .text("false"),
                ]
            ),
            (#"m f="a, b=c \"d\" \\ \e""#, ["f": .text(#"a, b=c "d" \ \e"#)]),
            (#"m f="""#, ["f": .text("")]),
            (
                #"m usage_idle=1,Total\ Time=2,a.b-c=3,\=x=4"#,
                [
                    "usageIdle": .number(1), "totalTime": .number(2), "aBC": .number(3),
                    "x": .number(4),
                ]
            ),
            ("  m   f=1  ", ["f": .number(1)]), ("m f=1\r", ["f": .number(1)]),
        ] as [(String, [String: Value])])
    func `the notation of a value determines its kind`(
        line: String, values: [String: Value]
    ) throws {
        #expect(try Self.only(line).reading == Reading(values: values))
    }

    @Test(
        arguments: [
            ("weather f=1", ["weather"]),
            ("weather,room=kitchen f=1", ["weather.kitchen", "weather"]),
            (#"net\ io,host=my\ pc,if=eth0 f=1"#, ["net-io.my-pc", "net-io.eth0", "net-io"]),
            ("win_cpu f=1", ["win-cpu"]), ("my.Room f=1", ["my.room"]),
            (#"a\,b\=c f=1"#, ["a-b-c"]), ("é f=1", []),
        ] as [(String, [String])])
    func `a point names an instance by tag, or the measurement`(
        line: String, sensors: [String]
    ) throws {
        #expect(try Self.only(line).sensors.map(\.description) == sensors)
    }

    @Test(
        arguments: [
            ("ns", 1_698_501_144_401_740_123, 1_698_501_144_401_740), ("us", 7, 7), ("u", 7, 7),
            ("n", 7999, 7), ("ms", 7, 7000), ("s", 7, 7_000_000), ("m", 2, 120_000_000),
            ("h", 1, 3_600_000_000),
        ] as [(String, Int64, Int64)])
    func `times are read with their precision`(
        precision: String, count: Int64, microseconds: Int64
    ) throws {
        let content = try LineProtocolReader.content(
            Array("m f=1 \(count)".utf8), precision: try #require(TimePrecision(precision)))
        #expect(content.points.first?.reading.time == Timestamp(microseconds: microseconds))
    }

    @Test(
        arguments: [
            "m", "m ", "m f", "m f=", "m f=x", "m f=1i2", "m f=1.5i", "m f=nan", "m f=inf",
            "m f=0x10", "m f=1e999", "m f=9223372036854775808i", "m f=-1u", "m f='x'",
            "m f=\"x", "m f=\"x\"y", "m f=1,", "m f=1,f=2", "m f=1,g", "m f=1 x", "m f=1 1.5",
            "m f=1 1 1", "m f=1 -1", "m f=1 99999999999999999999", ",a=b f=1", "m, f=1", "m,a f=1",
            "m,a= f=1", "m,=b f=1", "m =1", "m f==1", "m,a=b=c f=1",
            "m \(String(repeating: "x", count: 257))=1",
            "m f=1\(String(repeating: "0", count: 128))",
        ])
    func `an invalid line is reported, and the others are kept`(line: String) throws {
        let content = try LineProtocolReader.content(Array("a f=1\n\n# x\n\(line)\nb f=2\n".utf8))
        #expect(content.points.map(\.line) == [1, 5])
        #expect(content.faults.map(\.line) == [4], "\(content.points)")
        #expect(content.faults.first?.message.isEmpty == false)
    }

    @Test func `times out of range are reported`() throws {
        let content = try LineProtocolReader.content(
            Array("m f=1 9223372036854775807".utf8), precision: .seconds)
        #expect(content.points.isEmpty)
        #expect(content.faults.count == 1)
    }

    @Test func `too many lines, tags or fields are rejected`() throws {
        let lines = String(repeating: "a b=1\n", count: 200_001)
        #expect(throws: PushFault.self) { try LineProtocolReader.content(Array(lines.utf8)) }
        let tags = "m" + (0..<65).map { ",t\($0)=x" }.joined() + " f=1"
        let fields = "m " + (0..<257).map { "f\($0)=1" }.joined(separator: ",")
        for line in [tags, fields] {
            #expect(try LineProtocolReader.content(Array(line.utf8)).faults.count == 1)
        }
    }
}
