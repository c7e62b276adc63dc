import Ingest
import Samples
import Testing

struct FieldRuleTests {
    private static let number = Field("level", unit: "%")
    private static let integer = Field("count", kind: .integer)
    private static let state = Field("door", kind: .state)
    private static let text = Field("note", kind: .text)

    @Test(
        arguments: [
            (.integer(3), 3), (.number(0.25), 0.25), (.text("28.2"), 28.2), (.text("-1e3"), -1000),
            (.text("97.7%"), 97.7), (.text("97.7 %"), 97.7), (.text("+4"), 4),
            (.text("%"), nil), (.text("97%%"), nil), (.text("28.2 C"), nil), (.text("1,5"), nil),
            (.text("nan"), nil), (.text("inf"), nil), (.text("0x10"), nil), (.text("1e999"), nil),
            (.text("٣"), nil), (.text("open"), nil), (.text(""), nil), (.number(.nan), nil),
            (.number(.infinity), nil), (.text(String(repeating: "9", count: 65)), nil),
        ] as [(Value, Double?)])
    func `a number can have a percent sign and must be finite`(
        raw: Value, number: Double?
    ) {
        #expect(FieldRule(Self.number).value(of: raw) == number.map { .number($0) })
    }

    @Test(
        arguments: [
            ("Cel", nil, "28.2 C", 28.2), ("Cel", nil, "-3\u{B0}C", -3),
            ("Cel", nil, "28.2 F", nil),
            ("Cel", nil, "28.2 Cel", 28.2), ("Cel", nil, "C", nil), ("[ppm]", nil, "612 ppm", 612),
            ("[ppm]", nil, "612 [ppm]", 612), ("[ppm]", nil, "612 ppb", nil),
            ("kW.h", nil, "4.5 kWh", nil), ("kW.h", "kWh", "4.5 kWh", 4.5), (nil, nil, "5 V", nil),
            ("V", nil, "5 mV", nil), ("V", nil, "5V", 5), ("1", nil, "21", 21),
            ("deg", nil, "8.5\u{B0}", 8.5),
        ] as [(String?, String?, String, Double?)])
    func `a number can have the unit of its field, but no other`(
        unit: String?, suffix: String?, text: String, number: Double?
    ) {
        let rule = FieldRule(Field("value", unit: unit), suffix: suffix)
        #expect(rule.value(of: .text(text)) == number.map { .number($0) })
    }

    @Test(
        arguments: [
            (.text("10"), 2, 1, 21), (.integer(10), -1, 0, -10), (.number(0.5), 100, -50, 0),
            (.text("1e308"), 10, 0, nil), (.number(.greatestFiniteMagnitude), -2, 0, nil),
        ] as [(Value, Double, Double, Double?)])
    func `a number is scaled and shifted, and rejected out of range`(
        raw: Value, scale: Double, offset: Double, number: Double?
    ) {
        let rule = FieldRule(Self.number, scale: scale, offset: offset)
        #expect(rule.value(of: raw) == number.map { .number($0) })
    }

    /// (adc/4095·2·3.3·1.1)·100/4.3, and the other divisor in use.
    @Test(
        arguments: [
            (0, 4.3, 0), (2000, 4.3, 82.4598), (2425.5, 4.3, 100), (4095, 4.3, 100),
            (2000, 4.2, 84.4231), (-5, 4.3, 0),
        ] as [(Double, Double, Double)])
    func `the battery formula is a scale, clamped to 0 to 100`(
        reading: Double, divisor: Double, percent: Double
    ) throws {
        let rule = FieldRule(
            Self.number, scale: 2 * 3.3 * 1.1 * 100 / 4095 / divisor, limits: 0...100)
        guard case .number(let value) = rule.value(of: .number(reading)) else {
            Issue.record("no number")
            return
        }
        #expect(abs(value - percent) < 0.01)
    }

    @Test(
        arguments: [
            (.integer(.max), .max), (.text("9223372036854775807"), .max), (.text("-7"), -7),
            (.text("42%"), 42), (.number(3), 3), (.number(2.5), 3),
            (.text("9223372036854775808"), nil), (.number(1e19), nil), (.number(-1e19), nil),
            (.number(.nan), nil), (.text("many"), nil),
        ] as [(Value, Int64?)])
    func `an integer is exact, and rejected on overflow`(raw: Value, whole: Int64?) {
        #expect(FieldRule(Self.integer).value(of: raw) == whole.map { .integer($0) })
    }

    @Test func `a scaled integer is rounded and does not overflow`() {
        let rule = FieldRule(Self.integer, scale: 0.1)
        #expect(rule.value(of: .integer(26)) == .integer(3))
        #expect(FieldRule(Self.integer, scale: 1e12).value(of: .integer(.max)) == nil)
        #expect(FieldRule(Self.integer, limits: 0...9).value(of: .integer(.max)) == .integer(9))
    }

    @Test func `a state is looked up, and rejected if unknown`() {
        let rule = FieldRule(Self.state, states: ["0": "open", "1": "closed", "true": "closed"])
        #expect(rule.value(of: .integer(0)) == .text("open"))
        #expect(rule.value(of: .text("1")) == .text("closed"))
        #expect(rule.value(of: .text("true")) == .text("closed"))
        #expect(rule.value(of: .text("2")) == nil)
        #expect(rule.value(of: .number(0)) == nil)
    }

    @Test func `a state without a table is the text itself, up to a length`() {
        let rule = FieldRule(Self.state)
        #expect(rule.value(of: .text("open")) == .text("open"))
        #expect(rule.value(of: .text("")) == nil)
        #expect(rule.value(of: .text(String(repeating: "x", count: 64))) != nil)
        #expect(rule.value(of: .text(String(repeating: "x", count: 65))) == nil)
    }

    @Test func `the length of a text is limited`() {
        let rule = FieldRule(Self.text)
        #expect(rule.value(of: .number(1.5)) == .text("1.5"))
        #expect(rule.value(of: .text(String(repeating: "x", count: 1024))) != nil)
        #expect(rule.value(of: .text(String(repeating: "x", count: 1025))) == nil)
    }
}
