import Testing

@testable import Commands

struct LineEditorTests {
    private static func events(_ text: String) -> [LineEditor.Event] {
        var editor = LineEditor()
        return Array(text.utf8).map { editor.take($0) }.filter { $0 != .nothing }
    }

    @Test(arguments: [
        ("o\n", "o"), ("o\r", "o"), ("\n", ""), (" yes \n", " yes "), ("ab\u{7F}c\n", "ac"),
        ("a\u{8}\u{8}\u{8}b\n", "b"), ("abc\u{15}d\n", "d"), ("a\u{1}\u{1A}\u{13}b\n", "ab"),
        // Keys that send sequences, and replies of terminals to queries.
        ("\u{1B}[Aa\n", "a"), ("\u{1B}OPa\n", "a"), ("\u{1B}[1;5Ca\n", "a"),
        ("\u{1B}[24;80Ra\n", "a"), ("\u{1B}P1$r0m\u{1B}\\a\n", "a"),
        ("\u{1B}]11;rgb:0/0/0\u{7}a\n", "a"), ("\u{1B}xa\n", "a"),
        ("\u{1B}[\u{1B}[Aa\n", "a"),
        // Text that is not ASCII, or ends within a sequence, is invalid.
        ("ja\u{F6}\n", LineEditor.invalid), ("\u{1B}[\n", LineEditor.invalid),
        ("\u{1B}]0;o\n", LineEditor.invalid), ("\u{1B}\n", LineEditor.invalid),
    ])
    func `a line contains the typed ASCII characters`(typed: String, line: String) {
        #expect(Self.events(typed).last == .line(line))
    }

    @Test(arguments: [
        ("\u{3}", LineEditor.Event.interrupted), ("abc\u{3}", .interrupted),
        ("\u{1B}]0;\u{3}", .interrupted), ("\u{1C}", .interrupted), ("\u{4}", .end),
    ])
    func `control keys end the line`(typed: String, event: LineEditor.Event) {
        #expect(Self.events(typed).last == event)
    }

    @Test func `only accepted characters are echoed, and erased ones removed`() {
        let shown = Self.events("a\u{1B}[A\u{1}b\u{7F}\u{4}\u{9}")
        #expect(shown == [.echo("a"), .echo("b"), .echo("\u{8} \u{8}")])
        #expect(Self.events("ab\u{15}").last == .echo("\u{8} \u{8}\u{8} \u{8}"))
    }

    @Test func `a line is limited in length`() {
        let long = String(repeating: "x", count: 1000)
        #expect(Self.events(long).count == LineEditor.limit)
        #expect(
            Self.events(long + "\n").last
                == .line(String(repeating: "x", count: LineEditor.limit)))
    }

    @Test func `a line does not affect the next one`() {
        #expect(Self.events("\u{F6}\no\n").last == .line("o"))
    }
}
