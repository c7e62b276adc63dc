import Ingest
import Samples
import TestSupport
import Testing

struct PayloadFuzzTests {
    private struct Subject: Sendable {
        let format: PayloadFormat
        let names: [String]
        let valid: [String]
    }

    private static let subjects = [
        Subject(
            format: .json, names: ["$.a[1]", "b", "at"],
            valid: [#"{"a": [1, 2.5e3], "b": "x", "at": "2026-03-01T12:00:00Z"}"#]),
        Subject(
            format: .csv(separator: ","), names: ["1", "3", "2"],
            valid: ["1.5,2026-03-01T12:00:00Z,open", "\"a\", ,,,"]),
        Subject(
            format: .keyValue, names: ["Battery Level", "switch state", "at"],
            valid: ["Battery Level: 97.7%, Switch state: 1; at=2026-03-01T12:00:00Z"]),
        Subject(
            format: .pattern(#"(\d) (?<t>[-.\d]+) C (.*) %"#), names: ["1", "t", "3"],
            valid: ["0 28.2 C 41.5 %"]),
        Subject(format: .plain, names: ["a", "b", "c"], valid: ["2026-03-01T12:00:00Z", "-1e3"]),
        Subject(
            format: .bytes, names: ["s16/100", "float", "utf8"],
            valid: ["\u{1}\u{2}", "abcd", "2026-03-01T12:00:00Z"]),
    ]

    private static func mutated(_ text: String, _ random: inout SplitMix) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.insert(.random(in: .min ... .max, using: &random), at: index)
            case 1: if index < bytes.count { bytes.remove(at: index) }
            case 2: bytes = Array(bytes[..<index])
            case 3: bytes += bytes[index...]
            default: bytes.insert(contentsOf: "9999999999999999999e-".utf8, at: index)
            }
        }
        return bytes
    }

    @Test func `every payload becomes a valid sample or is counted`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for subject in Self.subjects {
            for form in [nil] + TimeRule.Form.allCases.map(Optional.some) {
                for kind in [Field.Kind.number, .integer, .state, .text] {
                    try Self.check(subject, form, kind, &random)
                }
            }
        }
    }

    private static func check(
        _ subject: Subject, _ form: TimeRule.Form?, _ kind: Field.Kind, _ random: inout SplitMix
    ) throws {
        let rules = [
            FieldRule(Field("a", kind: kind), scale: kind.isNumeric ? 1e9 : 1),
            FieldRule(Field("b", kind: .text)),
        ]
        var maker = try SampleMaker(
            format: subject.format, names: Array(subject.names.prefix(2)), rules: rules,
            time: form.map { TimeRule(subject.names[2], form: $0) },
            isSparse: .random(using: &random),
            takesOnlyChanges: .random(using: &random))
        var taken = 0
        for round in 0..<200 {
            let payload =
                round % 2 == 0
                ? mutated(subject.valid.randomElement(using: &random) ?? "", &random)
                : (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: .min ... .max, using: &random)
                }
            guard case .sample(let sample) = maker.take(payload, at: SampleMakerTests.now) else {
                continue
            }
            taken += 1
            #expect(sample.values.count == rules.count)
            for (value, rule) in zip(sample.values, rules) {
                #expect(value.fits(rule.field.kind), "\(payload)")
                if case .number(let number) = value { #expect(number.isFinite) }
            }
            if form != nil {
                #expect(sample.time >= TimeRule.earliest)
            } else {
                #expect(sample.time == SampleMakerTests.now)
            }
        }
        let counts = maker.counts
        #expect(counts.received == 200)
        #expect(counts.accepted == taken)
        let dropped =
            counts.malformed + counts.incomplete + counts.invalidTimestamp + counts.repeated
        #expect(counts.received == counts.accepted + dropped)
    }
}
