import Ingest
import Samples
import Testing

/// Formats whose messages are no lines: binary frames, telegrams of meters and NMEA sentences.
struct MessageFormatTests {
    private static let now = Timestamp(microseconds: 1_700_000_000_000_000)

    private static func maker(_ format: PayloadFormat, _ names: [String]) throws -> SampleMaker {
        try SampleMaker(
            format: format, names: names,
            rules: names.indices.map { FieldRule(Field("f\($0)", kind: .number)) })
    }

    /// The numbers of a payload; `nil` if it makes no sample.
    private static func numbers(
        _ format: PayloadFormat, _ names: [String], _ payload: [UInt8]
    ) throws -> [Double]? {
        var maker = try maker(format, names)
        guard case .sample(let sample) = maker.take(payload, at: now) else { return nil }
        return sample.values.compactMap(\.double)
    }

    /// The messages of a stream that arrives in pieces of a size.
    private static func messages(
        _ format: PayloadFormat, _ stream: [UInt8], pieces size: Int
    ) -> (messages: [[UInt8]], rejected: Int) {
        var splitter = MessageSplitter(format)
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            messages += splitter.take(stream[start..<min(start + size, stream.count)])
        }
        return (messages + splitter.end(), splitter.rejected)
    }

    // MARK: - Frames

    /// SDS011, data sheet V1.3: AA C0, PM2.5 and PM10 little-endian in 0.1 µg/m³, two bytes of identifier, the
    /// sum of these six, AB.
    private static let dust: [UInt8] = [0xAA, 0xC0, 0xD4, 0x04, 0x3A, 0x0A, 0xA1, 0x60, 0x1D, 0xAB]

    private static func dustFormat() throws -> PayloadFormat {
        .frame(
            try FrameLayout(
                start: [0xAA, 0xC0], length: .fixed(10), end: [0xAB],
                checksum: .init(.sum8, from: 2)))
    }

    /// PMS5003, data manual V2.3: 42 4D, the number of bytes that follow, 13 numbers, the sum of all before.
    private static func particles() -> [UInt8] {
        let numbers: [UInt16] = [28, 5, 8, 9, 5, 8, 9, 1014, 300, 52, 6, 2, 0, 0x9700]
        let words = numbers.flatMap { number -> [UInt8] in
            [UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        let bytes: [UInt8] = [0x42, 0x4D] + words
        let sum = bytes.reduce(UInt16(0)) { $0 + UInt16($1) }
        return bytes + [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    }

    private static func particlesFormat() throws -> PayloadFormat {
        let length = try #require(FrameField("u16be@2"))
        return .frame(
            try FrameLayout(
                start: [0x42, 0x4D], length: .field(length, plus: 4), checksum: .init(.sum16be)))
    }

    @Test func `frames of dust sensors are decoded`() throws {
        #expect(
            try Self.numbers(
                Self.dustFormat(), ["u16le@2", "u16le@4"],
                Self.dust) == [1236, 2618])
        #expect(
            try Self.numbers(
                Self.particlesFormat(), ["u16be@10", "u16be@12", "u8@29"], Self.particles())
                == [5, 8, 0])
        // MH-Z19: FF 86, the concentration, and a checksum that makes the bytes after FF add up to 0.
        let carbonDioxide: [UInt8] = [0xFF, 0x86, 0x02, 0x60, 0x47, 0, 0, 0, 0xD1]
        let layout = try FrameLayout(
            start: [0xFF, 0x86], length: .fixed(9), checksum: .init(.negatedSum8, from: 1))
        #expect(try Self.numbers(.frame(layout), ["u16be@2"], carbonDioxide) == [608])
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `frames are found in a stream with noise, wrong checksums and false starts`(
        size: Int
    ) throws {
        var broken = Self.dust
        broken[3] ^= 1
        let parts: [[UInt8]] = [
            Array(Self.dust.suffix(3)), Self.dust, broken, [0xAA, 0xC0, 0xAA], Self.dust,
            Self.dust, [0xAA],
        ]
        let stream = parts.flatMap { $0 }
        let (messages, rejected) = Self.messages(
            try Self.dustFormat(), stream, pieces: size)
        #expect(messages == [Self.dust, Self.dust, Self.dust])
        // The incomplete first frame, and the broken one with the false start after it.
        #expect(rejected == 2)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 31])
    func `a frame with a wrong byte is malformed`(index: Int) throws {
        var frame = Self.particles()
        frame[index] ^= 0x40
        #expect(try Self.numbers(Self.particlesFormat(), ["u16be@10"], frame) == nil)
        #expect(
            try Self.numbers(Self.particlesFormat(), ["u16be@10"], Self.particles().dropLast())
                == nil)
    }

    @Test func `an impossible length does not wait for more bytes`() throws {
        let length = try #require(FrameField("u32le@1"))
        let layout = try FrameLayout(start: [0xAA], length: .field(length, plus: 1024))
        let stream = [UInt8](repeating: 0xAA, count: 10_000)
        #expect(Self.messages(.frame(layout), stream, pieces: 100).messages.isEmpty)
    }

    @Test(
        arguments: [
            ("u8@0", 0xFF), ("s8@0", -1), ("u16be@0", 0xFF01), ("u16le@0", 0x01FF),
            ("s16be@0", -255),
            ("s24le@0", 0x0201FF), ("u24be@0", 0xFF0102), ("u32be@0", 0xFF01_0203),
            ("s32be@0", -16_711_165), ("f32be@4", 1.5), ("f32le@8", -2),
        ] as [(String, Double)])
    func `numbers have a type, an order of bytes and an offset`(name: String, value: Double) throws
    {
        let bytes: [UInt8] = [0xFF, 1, 2, 3, 0x3F, 0xC0, 0, 0, 0, 0, 0, 0xC0]
        let layout = try FrameLayout(start: [0xFF], length: .fixed(12))
        #expect(try Self.numbers(.frame(layout), [name], bytes) == [value])
    }

    @Test(arguments: [
        "", "u16be", "u16@2", "u8be@1", "x8@1", "u16be@-1", "u16be@1024", "f32@0", "f16be@0",
        "u16be@1@2",
        "u64be@0", "u16xe@0",
    ])
    func `other names of numbers are refused`(name: String) {
        #expect(FrameField(name) == nil)
    }

    // MARK: - Telegrams

    private static func telegram(_ lines: [String], checksum: String = "") -> [UInt8] {
        Array((lines + ["!\(checksum)"]).map { $0 + "\r\n" }.joined().utf8)
    }

    /// DSMR 5, in the form of the example in the P1 Companion Standard 5.0.2.
    private static let electricity = telegram(
        [
            "/ISk5\\2MT382-1000", "", "1-3:0.2.8(50)", "0-0:1.0.0(101209113020W)",
            "0-0:96.1.1(4B384547303034303436333935353037)", "1-0:1.8.1(123456.789*kWh)",
            "1-0:1.8.2(123456.789*kWh)", "1-0:2.8.1(123456.789*kWh)",
            "1-0:2.8.2(123456.789*kWh)", "0-0:96.14.0(0002)", "1-0:1.7.0(01.193*kW)",
            "1-0:2.7.0(00.000*kW)", "0-0:96.7.21(00004)", "0-0:96.7.9(00002)",
            "1-0:99.97.0(2)(0-0:96.7.19)(101208152415W)(0000000240*s)(101208151004W)(0000000301*s)",
            "1-0:32.32.0(00002)", "1-0:52.32.0(00001)", "1-0:72.32.0(00000)",
            "1-0:32.36.0(00000)", "1-0:52.36.0(00003)", "1-0:72.36.0(00000)",
            "0-0:96.13.0(303132333435363738393A3B3C3D3E3F303132333435363738393A3B3C3D3E3F303132333435363738393A3B3C3D3E3F303132333435363738393A3B3C3D3E3F303132333435363738393A3B3C3D3E3F)",
            "1-0:32.7.0(220.1*V)", "1-0:52.7.0(220.2*V)", "1-0:72.7.0(220.3*V)",
            "1-0:31.7.0(001*A)", "1-0:51.7.0(002*A)", "1-0:71.7.0(003*A)",
            "1-0:21.7.0(01.111*kW)", "1-0:41.7.0(02.222*kW)", "1-0:61.7.0(03.333*kW)",
            "1-0:22.7.0(04.444*kW)", "1-0:42.7.0(05.555*kW)", "1-0:62.7.0(06.666*kW)",
            "0-1:24.1.0(003)", "0-1:96.1.0(3232323241424344313233343536373839)",
            "0-1:24.2.1(101209112500W)(12785.123*m3)",
        ], checksum: "E47C")

    /// DSMR 2.2: no checksum, and the gas on a line of its own.
    private static let gas = telegram([
        "/ISk5\\2MT382-1004", "", "1-0:1.8.1(00101.777*kWh)", "1-0:1.7.0(0000.98*kW)",
        "0-1:24.3.0(161107190000)(00)(60)(1)(0-1:24.2.1)(m3)", "(00001.001)",
    ])

    @Test func `a telegram with a checksum is decoded by its codes`() throws {
        #expect(
            try Self.numbers(
                .dsmr, ["1-0:1.8.1", "1-0:1.7.0", "0-1:24.2.1", "0-1:24.1.0", "1-0:99.97.0[3]"],
                Self.electricity) == [123456.789, 1.193, 12785.123, 3, 240])
        #expect(try Self.numbers(.dsmr, ["1-0:1.7.0", "0-1:24.3.0"], Self.gas) == [0.98, 1.001])
    }

    @Test func `the time of a telegram is that of the meter`() throws {
        var maker = try SampleMaker(
            format: .dsmr, names: ["1-0:1.7.0"], rules: [FieldRule(Field("power", unit: "kW"))],
            time: TimeRule("0-0:1.0.0", form: .rfc3339))
        let outcome = maker.take(Self.electricity, at: Self.now)
        guard case .sample(let sample) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(sample.time == Timestamp(rfc3339: "2010-12-09T10:30:20Z"))
    }

    @Test func `a damaged or incomplete telegram is malformed`() throws {
        for index in stride(from: 20, to: Self.electricity.count - 8, by: 13) {
            var telegram = Self.electricity
            telegram[index] ^= 1
            #expect(try Self.numbers(.dsmr, ["1-0:1.8.1"], telegram) == nil)
        }
        // Without its checksum, which this version has.
        let bare = Self.electricity.dropLast(6) + Array("\r\n".utf8)
        #expect(try Self.numbers(.dsmr, ["1-0:1.8.1"], Array(bare)) == nil)
        #expect(try Self.numbers(.dsmr, ["1-0:1.8.1"], Self.electricity.dropLast(30)) == nil)
        for other in ["", "/", "!", "/x\r\n!\r\n", "1-0:1.8.1(5*kWh)\r\n!\r\n"] {
            #expect(try Self.numbers(.dsmr, ["1-0:1.8.1"], Array(other.utf8)) == nil)
        }
    }

    @Test(arguments: [1, 5, 64, 100_000])
    func `telegrams are found in a stream that begins within one`(size: Int) throws {
        let parts: [[UInt8]] = [
            Array(Self.electricity.suffix(400)), Self.gas, Array(Self.electricity.prefix(300)),
            Array("\r\n".utf8), Self.electricity,
        ]
        let (messages, rejected) = Self.messages(.dsmr, parts.flatMap { $0 }, pieces: size)
        #expect(messages.count == 2)
        for (message, power) in zip(messages, [0.98, 1.193]) {
            #expect(try Self.numbers(.dsmr, ["1-0:1.7.0"], message) == [power])
        }
        #expect(rejected == 2)
    }

    @Test(arguments: ["", "1", "1-0", "power", "1-0:1.8.1[", "1-0:1.8.1[-1]", "1-0:1.8.1[x]"])
    func `other names are no codes`(name: String) {
        #expect(throws: PayloadError.self) { try Self.maker(.dsmr, [name]) }
    }

    // MARK: - NMEA

    private static func sentence(_ body: String) -> String {
        let sum = String(body.utf8.reduce(0) { $0 ^ $1 }, radix: 16, uppercase: true)
        return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)\r\n"
    }

    private static func minimum(_ second: String, status: String = "A") -> String {
        sentence("GPRMC,1235\(second),\(status),4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W")
    }

    private static func position(_ second: String) -> String {
        sentence("GPGGA,1235\(second),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    }

    @Test func `the sentences of one time are one message`() throws {
        let names = ["latitude", "longitude", "altitude", "speed", "heading", "satellites", "hdop"]
        let payload = Array((Self.minimum("19") + Self.position("19")).utf8)
        let numbers = try #require(try Self.numbers(.nmea, names, payload))
        let expected = [48.1173, 11.516667, 545.4, 22.4 * 1852 / 3600, 84.4, 8, 0.9]
        #expect(numbers.count == expected.count)
        for (number, value) in zip(numbers, expected) { #expect(abs(number - value) < 1e-6) }
        #expect(try Self.numbers(.nmea, ["altitude"], Array(Self.minimum("19").utf8)) == nil)
        #expect(
            try Self.numbers(.nmea, ["latitude"], Array(Self.minimum("19", status: "V").utf8))
                == nil)
        #expect(throws: PayloadError.self) { try Self.maker(.nmea, ["depth"]) }
    }

    @Test func `a wrong checksum or another line is malformed`() throws {
        let right = Self.position("19")
        for wrong in [
            right.replacing("545.4", with: "545.5"), right.replacing("*", with: "#"),
            right + "x\r\n",
            String(right.dropLast(4)), "", "\r\n",
        ] {
            #expect(try Self.numbers(.nmea, ["latitude"], Array(wrong.utf8)) == nil)
        }
    }

    @Test(arguments: [1, 10, 1000])
    func `a message ends with the second of its sentences or at the next time`(size: Int) throws {
        let stream =
            "038,N,01131.000,E*00\r\n" + Self.position("19") + Self.minimum("19")
            + Self.sentence("GPGSV,1,1,00") + Self.minimum("20") + Self.minimum("21")
            + Self.position("21") + Self.minimum("22")
        let (messages, rejected) = Self.messages(.nmea, Array(stream.utf8), pieces: size)
        #expect(messages.count == 4)
        let whole = messages.map { $0.count { $0 == 0x0A } }
        #expect(whole == [2, 1, 2, 1])
        #expect(rejected == 1)
    }
}
