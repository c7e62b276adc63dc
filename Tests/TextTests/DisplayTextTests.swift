import TestSupport
import Testing
import Text

@Suite struct DisplayTextTests {
    @Test(arguments: [
        ("Counts your steps", "Counts your steps"),
        ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
        ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
        ("\u{9b}2J", "\\u{9b}2J"),
        ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}", "a\\u{202e}b\\u{2066}c\\u{200f}d\\u{61c}"),
        ("a\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}", "a\\u{200b}\\u{200d}\\u{2060}\\u{feff}\\u{ad}"),
        ("\u{2028}\u{2029}\u{85}", "\\u{2028}\\u{2029}\\u{85}"),
        ("\u{e0041}\u{3164}\u{2800}\u{a0}", "\\u{e0041}\\u{3164}\\u{2800}\\u{a0}"),
        ("\u{e000}\u{10ffff}\0\u{7f}", "\\u{e000}\\u{10ffff}\\u{0}\\u{7f}"),
        ("a\\u{1b}", "a\\\\u{1b}"),
        ("e\u{301} Ünïcödé 名前 😀", "e\u{301} Ünïcödé 名前 😀"),
        ("\u{301}a", "\\u{301}a"),
        ("\u{1b}\u{301}", "\\u{1b}\\u{301}"),
        ("a\u{301}\u{302}\u{303}\u{304}b", "a\u{301}\u{302}\u{303}\\u{304}b"),
    ])
    func `control characters are escaped`(_ text: String, _ shown: String) {
        let result = text.escapedForDisplay(limit: 200)
        #expect(Array(result.unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("abc", 1, "…"), ("a", 1, "a"),
        ("abc", 0, ""), ("abc", -5, ""), ("", 3, ""), ("ab\u{1b}cd", 7, "ab…"),
        ("名前名前", 8, "名前名前"), ("名前名前", 7, "名前名…"), ("名前名前", 6, "名前…"),
        ("a\u{301}b\u{301}c", 2, "a\u{301}…"), ("a\\b", 3, "a…"),
    ])
    func `a long text is truncated at a whole character, with an ellipsis`(
        _ text: String, _ limit: Int, _ shown: String
    ) {
        #expect(text.escapedForDisplay(limit: limit) == shown)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("abc", 1, "…"), ("a", 0, ""),
        ("名前名前", 8, "名前名前"), ("名前名前", 7, "名前名…"), ("名前名前", 6, "名前…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("😀😀", 3, "😀…"), ("12 °C – 5", 7, "12 °C …"),
    ])
    func `escaped text is shortened to columns, not characters`(
        _ text: String, _ limit: Int, _ shown: String
    ) {
        #expect(text.shortened(toColumns: limit) == shown)
        #expect(shown.displayColumns <= limit)
    }

    @Test func `no random text exceeds the limit or contains unsafe characters`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<300 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                let range: ClosedRange<UInt32> =
                    Bool.random(using: &random) ? 0...0x3FF : 0...0x10FFFF
                Unicode.Scalar(UInt32.random(in: range, using: &random)).map { text.append($0) }
            }
            let limit = Int.random(in: 1..<80, using: &random)
            let shown = String(text).escapedForDisplay(limit: limit)
            #expect(shown.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
            #expect(shown.count <= limit)
        }
    }

    @Test func `the cost of a million combining marks depends on the limit only`() {
        let heap = "a" + String(repeating: "\u{301}", count: 1_000_000)
        let time = processorTime {
            #expect(heap.escapedForDisplay(limit: 80).unicodeScalars.count <= 84)
        }
        #expect(time < .seconds(2))
    }
}
