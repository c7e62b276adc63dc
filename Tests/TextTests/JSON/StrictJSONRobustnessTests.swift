import TestSupport
import Testing
import Text

@Suite(.serialized) struct StrictJSONRobustnessTests {
    private static let document = """
        {"name": "step-counter", "version": "1.2.3-beta", "ünï": "\\ud83d\\ude00\\n\\u0041",
         "privileges": ["gyroscope", {"sensor": "light", "access": "stats", "rate": -1.5e+2},],
         "deep": [[[[{"a": {"b": [true, false, null, 0, 12345678901234567890]}}]]]], "end": ""}
        """

    private let reader = StrictJSON(allowsTrailingCommas: true)

    /// Parses a text; an error must have a position inside the text or at its end.
    private func survives(_ bytes: [UInt8]) -> Bool {
        do throws(JSONSyntaxError) {
            _ = try reader.parse(bytes)
            return true
        } catch {
            #expect(error.line >= 1 && error.column >= 1)
            #expect(error.line + error.column <= bytes.count + 2)
            return false
        }
    }

    @Test func `every truncation of a document is rejected`() {
        let bytes = Array(Self.document.utf8)
        #expect(survives(bytes))
        for end in bytes.indices { #expect(!survives(Array(bytes[..<end])), "\(end)") }
    }

    @Test func `random changes never trap, and accepted texts are parsed again`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let original = Array(Self.document.utf8)
        let telling = Array("{}[]\",:\\u0eE-+.tfn \n\u{1}".utf8) + [0xC3, 0xED, 0xFF, 0x80]
        for _ in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(telling.randomElement(using: &random) ?? 0, at: index)
                case 2: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                default: bytes[index] = telling.randomElement(using: &random) ?? 0
                }
            }
            if survives(bytes) { #expect(survives(bytes)) }
        }
    }

    /// A large text with a name, so that reports do not repeat the text.
    struct HostileText: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String

        init(_ name: String, _ parts: (String, times: Int)...) {
            testDescription = name
            text = parts.map { String(repeating: $0.0, count: $0.times) }.joined()
        }
    }

    @Test(arguments: [
        HostileText("empty lists", ("[", 1), ("[],", 87_000), ("1]", 1)),
        HostileText("numbers", ("[", 1), ("0,", 130_000), ("0]", 1)),
        HostileText("fractions", ("[", 1), ("0.5,", 65_000), ("0]", 1)),
        HostileText("escapes", ("\"", 1), ("\\n", 131_000), ("\"", 1)),
        HostileText("Unicode escapes", ("\"", 1), ("\\u0301a", 37_000), ("\"", 1)),
        HostileText("one string", ("\"", 1), ("a", 262_000), ("\"", 1)),
        HostileText("marks in a key", ("{\"", 1), ("\u{315}\u{301}", 65_000), ("\":1}", 1)),
        HostileText(
            "allowed marks in a key", ("{\"", 1), ("a\u{315}\u{301}", 52_000), ("\":1}", 1)),
        HostileText("digits", ("9", 262_000)),
        HostileText("lines", ("\n", 262_000)),
        HostileText("one key", ("{", 1), ("\"k\":1,", 37_000), ("\"z\":1}", 1)),
    ])
    func `hostile texts are parsed or rejected in linear time`(_ hostile: HostileText) {
        let bytes = Array(hostile.text.utf8)
        let time = processorTime { _ = try? StrictJSON().parse(bytes) }
        print(hostile.testDescription, bytes.count, time)
        // A quadratic reader takes seconds.
        #expect(time < .seconds(1))
    }

    @Test func `up to thirty combining marks on a character are accepted`() throws {
        for (count, isRead) in [(30, true), (31, false)] {
            let text = "[\"a" + String(repeating: "\u{301}", count: count) + "\"]"
            #expect(survives(Array(text.utf8)) == isRead)
        }
    }
}
