import Samples
import TestSupport
import Testing

@testable import LAE

/// Tests of the grammar of conditions.
struct ConditionTests {
    @Test func `and binds more strongly than or, and not more strongly than both`() throws {
        func comparison(_ field: String) -> Condition {
            .comparison(FieldComparison(field: field, comparison: .equal, operand: "1"))
        }
        let (a, b, c) = (comparison("a"), comparison("b"), comparison("c"))
        for (text, expected) in [
            ("a=1 or b=1 and c=1", Condition.any([a, .all([b, c])])),
            ("(a=1 or b=1) and c=1", .all([.any([a, b]), c])),
            ("not a=1 and b=1", .all([.not(a), b])),
            ("not (a=1 and b=1)", .not(.all([a, b]))),
            ("a=1 and b=1 and c=1", .all([a, b, c])),
            ("( ( a = 1 ) )or(b=1)", .any([a, b])),
        ] {
            #expect(try Condition(parsing: text) == expected, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("state=not charging", "state", "not charging"),
            ("state=a.b>c", "state", "a.b>c"), ("state = x y  ", "state", "x y"),
            ("state=\"salt and (pepper)\"", "state", "salt and (pepper)"),
            ("state='it\\'s \\\\'", "state", "it's \\"), ("state=\"\"", "state", ""),
            ("not=5", "not", "5"), ("and = 5", "and", "5"), ("or>=5", "or", ">=5"),
            ("x=origin", "x", "origin"), ("x=5or6", "x", "5or6"),
        ])
    func `an operand ends before a keyword, or is in quotes`(
        text: String, field: String, operand: String
    ) throws {
        let operation: FieldComparison.Operator = text.hasPrefix("or") ? .atLeast : .equal
        let expected = FieldComparison(
            field: field, comparison: operation,
            operand: operation == .atLeast ? String(operand.dropFirst(2)) : operand)
        #expect(try Condition(parsing: text) == .comparison(expected))
    }

    @Test func `a sensor and a dot can precede a field of an analysis`() throws {
        let condition = try Condition(parsingQualified: "network.eth0.rxRate>=0.5")
        #expect(
            condition
                == .comparison(
                    FieldComparison(
                        sensor: "network.eth0", field: "rxRate", comparison: .atLeast,
                        operand: "0.5")))
        let bare = try Condition(parsingQualified: "state=a.b>c").comparisons[0]
        #expect(bare.sensor == nil && bare.operand == "a.b>c")
        #expect(throws: LAEError.self) { try Condition(parsing: "cpu.busy>5") }
    }

    @Test(
        arguments: [
            ("", nil), ("x", nil), ("x>", nil), (">5", 1), ("x~5", 2), ("é>5", 1), ("x y>5", 3),
            ("x<", nil), ("=", 1), ("x!5", 2), ("x>5 and", nil), ("x>5 or or y>1", 11),
            ("(x>5", nil), ("x>5)", 4), ("()", 2), ("x>5 (y>1)", 5), ("x='a", 3), ("x='a'b", 6),
            ("x='\\n'", 3), ("not", nil), ("not (x>5", nil), ("cpu.busy>5", 4),
        ] as [(String, Int?)])
    func `an invalid condition is rejected with the position and a hint`(
        text: String, position: Int?
    ) {
        let error = #expect(throws: LAEError.self) { try Condition(parsing: text) }
        #expect(error?.code == .invalidCondition && error?.hint != nil)
        let place = position.map { ", at character \($0): " } ?? ", at the end."
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["cpu.", "cpu.>5", "CPU.busy>5", ".busy>5", "cpu.busy", "busy", "cpu.x~1"])
    func `an invalid qualified condition is rejected`(text: String) {
        let error = #expect(throws: LAEError.self) { try Condition(parsingQualified: text) }
        #expect(error?.code == .invalidCondition)
    }

    @Test(arguments: ["x>", "x>nan", "x=inf", "x=1,5", "x==5", "x>five", "x=1e400", "x=''"])
    func `an operand that is not a finite number is rejected`(text: String) {
        let hostile = text + "\u{1B}[31m" + String(repeating: "!", count: 1000)
        for text in [text, hostile] {
            let error = #expect(throws: LAEError.self) {
                _ = try Condition(parsing: text).matcher(for: EngineFixture.fields)
            }
            #expect(error?.code == .invalidCondition)
            #expect(error?.message.contains("\u{1B}") == false)
            #expect((error?.message.count ?? .max) < 250)
        }
    }

    @Test func `depth, length and count are bounded`() {
        let limits = ConditionParser.self
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            String(repeating: open, count: depth) + "x>5" + String(repeating: close, count: depth)
        }
        func joined(_ count: Int) -> String {
            Array(repeating: "x>5", count: count).joined(separator: " and ")
        }
        func padded(_ bytes: Int) -> String {
            "x>5" + String(repeating: " ", count: bytes - 3)
        }
        for (accepted, rejected) in [
            (nested("(", ")", limits.depthLimit), nested("(", ")", limits.depthLimit + 1)),
            (nested("not ", "", limits.depthLimit), nested("not ", "", limits.depthLimit + 1)),
            (joined(limits.comparisonLimit), joined(limits.comparisonLimit + 1)),
            (padded(limits.byteLimit), padded(limits.byteLimit + 1)),
            ("x>5", nested("(", "", 4_000)), ("x>5", nested("not ", "", 1_000)),
        ] {
            #expect(throws: Never.self) { try Condition(parsing: accepted) }
            let error = #expect(throws: LAEError.self) { try Condition(parsing: rejected) }
            #expect(error?.code == .invalidCondition)
        }
    }

    @Test func `random conditions select the rows that they describe`() throws {
        var random = SplitMix(state: 11)
        let rows = (0..<64).map { row in
            Sample(
                time: Timestamp(microseconds: row),
                values: [
                    .number(Double.random(in: -4...4, using: &random).rounded()),
                    .integer(Int64.random(in: -4...4, using: &random)),
                    .text(["warm", "cold", "or so"].randomElement(using: &random) ?? ""),
                ])
        }
        let samples = try #require(SampleBatch(rows, of: EngineFixture.fields))
        let batch = StoredBatch(sequences: rows.indices.map(Int64.init), samples: samples)
        for _ in 0..<2_000 {
            let condition = RandomCondition(depth: 4, using: &random)
            let parsed = try Condition(parsing: condition.text)
            let found = try parsed.matcher(for: EngineFixture.fields)(batch)
            #expect(found == rows.indices.filter { condition.isMet(rows[$0]) }, "\(condition.text)")
        }
    }

    @Test func `random text is parsed or rejected`() {
        var random = SplitMix(state: 12)
        let parts = [
            "x", "y", "cpu.", "(", ")", "and", "or", "not", " ", "=", "!=", ">", "<=", "5", "'",
            "\"",
            "\\", "é", "e\u{301}", "\u{0}", "\u{1F9D1}\u{200D}\u{1F680}", "-", ".", "\r\n",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &random)
            let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            do throws(LAEError) {
                _ = try Condition(parsingQualified: text)
            } catch {
                #expect(error.code == .invalidCondition && error.message.count < 250)
            }
        }
    }
}

/// A random condition on the fields of the fixture, its text, and what it means.
private struct RandomCondition {
    let text: String
    let isMet: (Sample) -> Bool

    init(depth: Int, using random: inout SplitMix) {
        switch depth > 0 ? Int.random(in: 0...4, using: &random) : 0 {
        case 1:
            let part = RandomCondition(depth: depth - 1, using: &random)
            text = "not (\(part.text))"
            isMet = { !part.isMet($0) }
        case 2:
            let part = RandomCondition(depth: 0, using: &random)
            text = " NOT \(part.text) "
            isMet = { !part.isMet($0) }
        case 3:
            let (a, b) = (
                RandomCondition(depth: depth - 1, using: &random),
                RandomCondition(depth: depth - 1, using: &random)
            )
            text = "(\(a.text)) and (\(b.text))"
            isMet = { a.isMet($0) && b.isMet($0) }
        case 4:
            // Without parentheses, "and" binds more strongly than "or".
            let parts = (0..<4).map { _ in RandomCondition(depth: 0, using: &random) }
            text =
                "\(parts[0].text) or \(parts[1].text) and \(parts[2].text) or \(parts[3].text)"
            isMet = {
                parts[0].isMet($0) || parts[1].isMet($0) && parts[2].isMet($0)
                    || parts[3].isMet($0)
            }
        default:
            let number = Int.random(in: -4...4, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                text = "x >= \(number)"
                isMet = {
                    if case .number(let x) = $0.values[0] { x >= Double(number) } else { false }
                }
            case 1:
                text = "n<\(number)"
                isMet = { if case .integer(let n) = $0.values[1] { n < number } else { false } }
            case 2:
                text = "state!='or so'"
                isMet = { $0.values[2] != .text("or so") }
            default:
                text = "state=cold"
                isMet = { $0.values[2] == .text("cold") }
            }
        }
    }
}
