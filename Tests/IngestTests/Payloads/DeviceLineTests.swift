import Ingest
import Samples
import Testing

/// Lines of real devices.
struct DeviceLineTests {
    private static let now = SampleMakerTests.now

    private static func values(_ maker: inout SampleMaker, _ line: String) -> [Value]? {
        guard case .sample(let sample) = maker.take(Array(line.utf8), at: now) else { return nil }
        return sample.values
    }

    @Test func `the lines of a door sensor become states and a battery level`() throws {
        var door = try SampleMaker(
            format: .keyValue, names: ["Switch state", "Battery Level"],
            rules: [
                FieldRule(
                    Field("door", kind: .state), states: ["0": "open", "1": "closed"]),
                FieldRule(Field("battery", unit: "%")),
            ], isSparse: true)
        #expect(Self.values(&door, "Switch state: 1") == nil)
        #expect(Self.values(&door, "Battery Level: 97.7%") == [.text("closed"), .number(97.7)])
        #expect(Self.values(&door, "Switch state: 0") == [.text("open"), .number(97.7)])
        for junk in ["Swit\u{FFFD}ch", "Switch state: 7", "Battery Level: %", "Battery Level: 9x%"]
        {
            #expect(Self.values(&door, junk) == nil)
        }
        #expect(door.take([0x53, 0xFF, 0x00, 0x80], at: Self.now) == .malformed)
        #expect(door.counts.malformed == 5)
        #expect(Self.values(&door, "Sensor state: 1") == nil)
        #expect(Self.values(&door, "Battery Level: 97%") == [.text("open"), .number(97)])
    }

    @Test(arguments: [
        ("V\t12834", 12834.0), ("v\t-5", -5), ("V:\t7", 7), ("V\t: 7", 7), ("\tV = 7", 7),
        ("V\t", nil), ("\t7", nil), ("V 7", nil),
    ])
    func `a tab separates a key from its value unless another sign does`(
        line: String, value: Double?
    ) throws {
        // A line of a Victron battery monitor.
        var monitor = try SampleMaker(
            format: .keyValue, names: ["V"], rules: [FieldRule(Field("voltage", unit: "mV"))])
        #expect(Self.values(&monitor, line) == value.map { [.number($0)] })
    }

    @Test func `the alternative name of the switch is a key like any other`() throws {
        var sensor = try SampleMaker(
            format: .keyValue, names: ["sensor state"],
            rules: [FieldRule(Field("state", kind: .integer))])
        #expect(Self.values(&sensor, "Sensor state: 1") == [.integer(1)])
    }

    @Test(
        arguments: [
            ("0 28.2 C 41.5 %", [28.2, 41.5]), ("0 -3.0 C 99.9 %", [-3, 99.9]),
            ("1 0.0 C 0.0 %", nil), ("0 28.2 C", nil), ("0 nan C 41.5 %", nil),
            ("Failed to read sensor", nil), ("", nil), ("0 28.2 C 41.5 % extra", nil),
        ] as [(String, [Double]?)])
    func `the line of a climate sensor matches a pattern, and its errors do not`(
        line: String, numbers: [Double]?
    ) throws {
        var climate = try SampleMaker(
            format: .pattern(#"0 (?<t>-?\d+\.\d) C (?<h>\d+\.\d) %"#), names: ["t", "h"],
            rules: [
                FieldRule(Field("temperature", unit: "Cel")),
                FieldRule(Field("humidity", unit: "%")),
            ])
        #expect(Self.values(&climate, line) == numbers?.map { .number($0) })
        #expect(climate.counts.malformed == (numbers == nil ? 1 : 0))
    }
}
