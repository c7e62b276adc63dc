import Foundation
import TestSupport
import Testing

/// Output of an app is escaped at the terminal of the built program.
@Suite(.blocking)
struct HostileAppTests {
    private static let all = HostileText.all.map(\.text)

    /// The control and invisible characters in the output.
    private static func unsafe(_ terminal: PseudoTerminal) -> [Unicode.Scalar] {
        String(decoding: terminal.bytes, as: UTF8.self).unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
                scalar != "\n" && scalar != "\r"
            default: false
            }
        }
    }

    private static func quoted(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    @Test(arguments: [(80, 24), (40, 10)])
    func `the texts of a manifest are escaped in prompts, installation and lists`(
        columns: Int, rows: Int
    ) throws {
        let sandbox = try Sandbox()
        let reasons = [
            "\u{1B}[2J\u{1B}[Ha\n\n", "\u{9B}2J\u{202E}\u{1B}]52;c;b3duZWQ=\u{7}",
            String(repeating: "名\u{301}\u{302}", count: 60),
        ]
        let sensors = ["cpu", "memory", "load"]
        let title = "\u{1B}[1A\u{1B}[2K\u{1B}]0;t\u{7}\r\no/a/s/e/n/v/?> a\n"
        let manifest: [String: Any] = [
            "name": "demo", "version": "1.0 name\u{65E5}", "title": title,
            "description": title + title, "author": title, "license": title,
            "privileges": zip(sensors, reasons).map { ["sensor": $0, "reason": $1] },
        ]
        let folder = try sandbox.app("", manifest: manifest)
        let install = try sandbox.terminal(["install", folder], columns: columns, rows: rows)
        #expect(try install.finish() == 0)
        let apps = try sandbox.terminal(["apps"], columns: columns, rows: rows)
        #expect(try apps.finish() == 0)
        let run = try sandbox.terminal(["run", "demo"], columns: columns, rows: rows)
        for number in 1...3 {
            try run.await("-- Nervous asks you (\(number) of 3) --")
            try run.await(
                rows < 20 ? "\r\nn deny=Enter  v always deny  ?> " : "\r\no/a/s/e/n/v/?> ")
            var screen = Screen(columns: columns, rows: rows, width: .wide)
            screen.show(run.bytes)
            #expect(screen.lines.contains { $0.hasPrefix("-- Nervous asks you (\(number) of 3)") })
            #expect(screen.lines.filter { $0.hasPrefix("Claims:  \"") }.count >= 1)
            run.type("n\n")
        }
        #expect(try run.finish() == 0)
        for terminal in [install, apps, run] { #expect(Self.unsafe(terminal).isEmpty) }
    }

    @Test func `the output of an app is printed line by line, escaped`() throws {
        let sandbox = try Sandbox()
        let texts = try Self.all.map(Self.quoted).joined(separator: ",\n")
        let script = """
            for (const text of [\(texts)]) { console.log(text); console.error(text); }
            console.log({ [`a\\u001b[2J`]: ["\\u009b2J"] });
            console.log("the end");
            """
        let terminal = try sandbox.terminal(
            "run", try sandbox.app(script), "--allow-all")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("the end"))
        #expect(terminal.text.contains(#"\u{1b}[2J\u{1b}[H"#))
        #expect(Self.unsafe(terminal).isEmpty)
    }

    @Test(arguments: ["throw new Error(text)", "Promise.reject(new TypeError(text))"])
    func `the error of an app is printed escaped`(script: String) throws {
        let sandbox = try Sandbox()
        let text = try Self.quoted("\u{1B}[2J\u{9D}0;t\u{9C}\u{202E}\u{2028}\nerror: trust me\u{7}")
        let terminal = try sandbox.terminal(
            "run", try sandbox.app("const text = \(text); \(script)"), "--allow-all")
        #expect(try terminal.finish() == 1)
        #expect(terminal.text.contains("uncaught: "))
        #expect(!terminal.text.contains("\nerror: trust me"))
        #expect(Self.unsafe(terminal).isEmpty)
    }
}
