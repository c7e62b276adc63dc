import Foundation
import Logging
import Samples
import TestSupport
import Testing

@testable import Host

/// The lines of the program's own log, for any content.
@Suite(.blocking)
struct LogFormatTests {
    private static let hostile = [
        "two\nlines", "\u{1B}[2J\u{1B}]0;owned\u{07}", "\u{202E}desrever", "nul\0",
        "\u{85}\u{9B}31m",
        "\r\n{\"level\":\"error\"}", "\u{2028}\u{2029}", "quote\" \\ back", "",
        String(repeating: "é\u{301}", count: 100_000), String(repeating: "\n", count: 100_000),
        String(repeating: "\u{200B}", count: 100_000),
    ]

    private struct Line: Decodable {
        let time: String
        let level: String
        let label: String
        let message: String
        let metadata: [String: String]?
    }

    private static func metadata(_ text: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            text: .string(text), "list": .array([.string(text), .string(text)]),
            "dictionary": .dictionary([text: .string(text)]),
        ]
        for number in 0..<40 { metadata["key \(number)"] = .string(text) }
        return metadata
    }

    // Indices, because the test runner prints arguments, and some of these texts are very long.
    @Test(arguments: LogFormat.allCases, hostile.indices)
    func `every log message is one bounded line without control characters`(
        format: LogFormat, index: Int
    ) throws {
        let text = Self.hostile[index]
        for line in [
            format.line(text, level: .error, label: "nervous.test", metadata: Self.metadata(text)),
            format.notice(text),
        ] {
            #expect(line.utf8.count < 32 << 10)
            #expect(
                line.unicodeScalars.allSatisfy { scalar in
                    scalar.value >= 0x20 && scalar.properties.generalCategory != .control
                        && scalar.properties.generalCategory != .format
                        && ![0x2028, 0x2029].contains(scalar.value)
                })
        }
    }

    @Test(arguments: hostile.indices)
    func `in JSON each line is one object that names its level`(index: Int) throws {
        let text = Self.hostile[index]
        let line = LogFormat.json.line(
            text, level: .warning, label: "nervous.test", metadata: Self.metadata(text),
            time: Timestamp(microseconds: 1_800_000_000_000_000))
        let decoded = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        #expect(decoded.level == "warning")
        #expect(decoded.label == "nervous.test")
        #expect(decoded.time == "2027-01-15T08:00:00.000000Z")
        #expect(decoded.metadata?.count == 16)
    }

    @Test func `plain text is unchanged`() {
        let time = Timestamp(microseconds: 1_800_000_000_000_000)
        let line = LogFormat.text.line(
            "The disk is full.", level: .error, metadata: ["bytes": "12"], time: time)
        #expect(line == "2027-01-15T08:00:00.000000Z error nervous: The disk is full. bytes=12")
    }
}
