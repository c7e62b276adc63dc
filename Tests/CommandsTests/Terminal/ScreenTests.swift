import Testing

/// The terminal emulator of the other tests.
struct ScreenTests {
    @Test(arguments: [
        ("ab\r\ncd", ["ab", "cd", ""]), ("abcdef", ["abcd", "ef", ""]),
        ("1\r\n2\r\n3\r\n4", ["2", "3", "4"]), ("ab\rc", ["cb", "", ""]),
        ("abc\u{8}\u{8}x", ["axc", "", ""]), ("ab\r\n\u{1B}[1Ax", ["xb", "", ""]),
        ("ab\u{1B}[2J\u{1B}[Hx", ["x", "", ""]), ("a\u{9B}2Jb", [" b", "", ""]),
        ("a\u{1B}]0;t\u{7}b", ["ab", "", ""]), ("a\u{1B}]0;bcd", ["a", "", ""]),
        ("a\r\nb\u{1B}Mc", ["ac", "b", ""]), ("a\u{1B}[2Kb\u{1B}[8mc", [" bc", "", ""]),
        ("abcd\r\nef\u{1B}[1;3H\u{1B}[K", ["ab", "ef", ""]),
        ("abcd\r\nef\r\ngh\u{1B}[2;2H\u{1B}[J", ["abcd", "e", ""]),
        ("abcd\r\nef\u{1B}[2;1H\u{1B}[1J", ["", " f", ""]),
        ("ab\u{1B}[?1049h\u{1B}[Hcd", ["cd", "", ""]),
        ("ab\u{1B}[?1049h\u{1B}[Hcd\u{1B}[?1049l", ["ab", "", ""]),
    ])
    func `the screen shows the same as a terminal`(text: String, lines: [String]) {
        var screen = Screen(columns: 4, rows: 3, width: .narrow)
        screen.show(Array(text.utf8))
        #expect(screen.lines == lines)
        #expect(
            screen.controls.isEmpty == !text.unicodeScalars.contains {
                "\u{8}\u{1B}\u{9B}".unicodeScalars.contains($0)
            })
    }

    @Test func `letters with diacritics wrap earlier on terminals that display them wide`() {
        for (width, lines) in [(Screen.Width.narrow, ["äöü"]), (.wide, ["ä ö", "ü"])] {
            var screen = Screen(columns: 4, rows: 2, width: width)
            screen.show(Array("äöü".utf8))
            #expect(Array(screen.lines.prefix(lines.count)) == lines)
        }
    }
}
