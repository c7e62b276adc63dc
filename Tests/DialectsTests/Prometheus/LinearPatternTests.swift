import TestSupport
import Testing

@testable import Dialects

struct LinearPatternTests {
    @Test(arguments: [
        ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc"]),
        ("a|b|", ["a", "b", ""], ["ab", "c"]), (".*", ["", "abc", "é"], ["a\nb"]),
        (".+", ["a"], [""]),
        (
            "network\\.(eth|wlan)[0-9]+", ["network.eth0", "network.wlan12"],
            ["networkxeth0", "network.eth"]
        ),
        ("a(b|cd)*e?", ["a", "abcdb", "acde"], ["ac", "aee"]), ("[^a-c]x", ["dx"], ["ax", "x"]),
        ("[]a-]+", ["]a-"], ["b"]), ("^a$", ["a"], ["b"]), ("a^b", [], ["ab"]),
        ("(?:a|b)\\d\\w\\s", ["a1_ "], ["a__ "]), ("a*?b+?", ["aabb", "b"], ["aa"]),
        ("(a*)*", ["", "aaa"], ["b"]), ("\\[\\\\\\]", ["[\\]"], ["\\"]),
    ])
    func `a pattern matches whole texts`(pattern: String, yes: [String], no: [String]) throws {
        let pattern = try LinearPattern(pattern)
        for text in yes { #expect(pattern.matches(text), "\(text)") }
        for text in no { #expect(!pattern.matches(text), "\(text)") }
    }

    /// Random patterns of what both understand.
    @Test func `it agrees with the regular expressions of Swift`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        func pattern(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &random) {
            case 0: return "a"
            case 1: return "b"
            case 2: return ["[ab]", "[^b]", "."].randomElement(using: &random) ?? "."
            case 3: return "(" + pattern(depth - 1) + "|" + pattern(depth - 1) + ")"
            case 4: return "(" + pattern(depth - 1) + ")*"
            case 5: return "(" + pattern(depth - 1) + ")+"
            case 6: return "(" + pattern(depth - 1) + ")?"
            default: return pattern(depth - 1) + pattern(depth - 1)
            }
        }
        for _ in 0..<300 {
            let text = pattern(3)
            let (own, other) = (try LinearPattern(text), try Regex(text))
            for _ in 0..<10 {
                let length = Int.random(in: 0...5, using: &random)
                let input = String(
                    (0..<length).map { _ in Bool.random(using: &random) ? "a" : "b" })
                #expect(
                    try own.matches(input) == (other.wholeMatch(in: input) != nil),
                    "seed \(seed): \(text) on \(input)")
            }
        }
    }

    @Test func `patterns for which backtracking is exponential are matched`() throws {
        let pattern = try LinearPattern("(a*)*(a|a)*(a?a?)*b")
        #expect(!pattern.matches(String(repeating: "a", count: 5000)))
    }

    @Test(arguments: [
        "(", ")", "[a", "a{2}", "*a", "a**", "(?i)a", "\\p", "\\", "[b-a]", "[[:alpha:]]",
        String(repeating: "a", count: 1001), String(repeating: "(", count: 100),
    ])
    func `what is not understood is refused`(pattern: String) {
        #expect(throws: PrometheusError.self) { try LinearPattern(pattern) }
    }
}
