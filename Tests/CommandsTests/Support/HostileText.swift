import Testing

/// Hostile texts in a package.
struct HostileText: CustomTestStringConvertible, Sendable {
    let text: String

    /// Escaped, because the names of tests are printed at a terminal, too.
    var testDescription: String { String(text.debugDescription.prefix(60)) }

    static let all = (controls + sequences + invisible + heavy + imitations).map(HostileText.init)

    /// Every C0 and C1 control, and DEL, eight to a text.
    private static let controls: [String] = stride(from: 0, through: 0x9F, by: 8).compactMap {
        let scalars = ($0..<($0 + 8)).filter { $0 < 0x20 || $0 > 0x7E }
            .compactMap { Unicode.Scalar(UInt32($0)) }
        guard !scalars.isEmpty else { return nil }
        return "a" + scalars.map { String($0) + "b" }.joined()
    }

    private static let sequences = [
        // Erase, move, scroll, hide the cursor, the other screen, colours of the background.
        "\u{1B}[2J\u{1B}[H", "\u{1B}[1A\u{1B}[2KNervous: allowed", "\u{1B}[5;1Hover there",
        "\u{1B}[8m hidden \u{1B}[0m", "\u{1B}[?25l\u{1B}[?1049h", "\u{1B}[30;40mblack",
        "\u{1B}[1;3r\u{1B}[10T", "\u{1B}M\u{1B}M\u{1B}D", "\u{1B}c", "\u{1B}7\u{1B}8",
        // Titles, links, the clipboard, notifications.
        "\u{1B}]0;owned\u{7}", "\u{1B}]8;;http://evil.example\u{1B}\\click\u{1B}]8;;\u{1B}\\",
        "\u{1B}]52;c;b3duZWQ=\u{7}", "\u{1B}]9;hello\u{7}", "\u{9D}0;owned\u{9C}",
        // Queries, to which a terminal replies with input.
        "\u{1B}[6n", "\u{1B}[c", "\u{1B}P$q\"p\u{1B}\\", "\u{1B}P+q544e\u{1B}\\", "\u{5}",
        "\u{1B}[21t", "\u{90}$qm\u{9C}", "\u{9B}6n", "\u{9B}2J", "\u{1B}[5i",
        // An incomplete sequence, which would hide following text.
        "\u{1B}[", "\u{1B}]0;", "\u{1B}P", "\u{1B}", "\u{1B}_app", "\u{1B}^pm", "\u{1B}Xsos",
    ]

    private static let invisible = [
        "\u{202E}swollA\u{202C}", "\u{2066}a\u{2067}b\u{2068}c\u{2069}", "\u{200E}\u{200F}\u{61C}",
        "\u{202A}\u{202B}\u{202D}", "a\u{200B}b\u{200C}c\u{200D}d\u{2060}e\u{FEFF}f",
        "\u{2028}new line\u{2029}new paragraph", "\u{E0001}\u{E0061}\u{E0062}",
        "\u{3164}\u{115F}\u{2800}\u{A0}\u{2003}", "\u{FFF9}\u{FFFA}\u{FFFB}", "\u{FE0F}\u{FE0E}",
    ]

    private static let heavy = [
        "Z" + String(repeating: "\u{300}\u{301}\u{302}\u{303}", count: 50),
        String(repeating: "e\u{20DD}\u{20E3}", count: 60), String(repeating: "\u{301}", count: 100),
        String(repeating: "名", count: 150), String(repeating: "😀", count: 150),
        String(repeating: "👩‍👩‍👧‍👦", count: 25), String(repeating: "﷽", count: 100),
        String(repeating: "W", count: 200), String(repeating: "ａ", count: 150),
        String(repeating: " ", count: 199) + "x", String(repeating: "\\", count: 200),
        String(repeating: "🇩🇪", count: 50), String(repeating: "ᄀ", count: 100),
    ]

    private static let imitations = [
        "Type a and press Enter.", "\" \n-- Nervous asks you (1 of 1) --\nApp: trusted",
        "\r\n\r\no/a/s/e/n/v/?> a\r\n",
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nbottom",
        "o/a/s/e/n/v/?> a", "\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}safe",
        "\t\t\t\t\t\t\t\tfar away",
        "a\r-- Nervous asks you (9 of 9) ", "signed by Nervous, checked", "\u{7}\u{7}\u{7}", "a\n",
        "-- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- -- --", "\u{4}\u{3}\u{1A}",
    ]
}
