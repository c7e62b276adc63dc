import Auth
import Foundation
import JSApps
import Samples
import TestSupport
import Testing
import Text

@testable import Commands
@testable import Host

/// No text of a package moves the cursor, hides a line of the host, or answers the prompt.
///
/// Serialized, because each case opens descriptors, and `Process` of Foundation fails when hundreds are
/// open while it lists them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HostileTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let hostile: HostileText
        let columns: Int
        let rows: Int

        var testDescription: String { "\(columns)×\(rows) \(hostile.testDescription)" }
    }

    static let cases = [(80, 24), (40, 10)].flatMap { columns, rows in
        HostileText.all.map { Case(hostile: $0, columns: columns, rows: rows) }
    }

    private static func question(_ text: String) -> PermissionQuestion {
        PermissionQuestion(
            app: text, version: text, title: text,
            privilege: Privilege(.sensor("memory", .raw), reason: text), number: 1, count: 1,
            signer: text, isUpdate: true, fields: [.init(text, unit: text)])
    }

    /// The beginnings of the lines of a prompt; those in brackets may occur more than once.
    private static func beginnings(_ rows: Int) -> [String] {
        rows < 20
            ? [
                "", "-- Nervous asks you (1 of 1) ---", "App:     ", "Signer:  ",
                "Wants, new: every sample of memory",
                "Reveals: programs coming and going", "Claims:  \"",
                "o once  a always  s stats  e limits",
                "n deny=Enter  v always deny  ?>",
            ]
            : [
                "", "-- Nervous asks you (1 of 1) ---", "App:     ", "Title:   \"", "Signer:  ",
                "Wants:   every sample of memory  (new in this update)", "Fields:  ",
                "Reveals: when programs start and end", "Claims:  \"", "",
                "o  Allow once, for this run        n  Deny this", "a  Always allow",
                "e  With limits", "s  Statistics only", "Change it later: nervous permissions ",
                "---------------",
                "o/a/s/e/n/v/?>",
            ]
    }

    /// Whether the lines are in their places, without lines that the host did not begin.
    private static func isIntact(_ lines: [String], rows: Int) -> Bool {
        var rest = lines[...]
        for beginning in beginnings(rows) {
            guard let line = rest.popFirst(), line.hasPrefix(beginning) else { return false }
            // Continuation lines of the reason begin with a bar, others with spaces.
            while let next = rest.first, next.hasPrefix("         "),
                beginning == "Claims:  \""
                    ? next.hasPrefix("         |") : beginning.hasPrefix("Rev")
            {
                rest = rest.dropFirst()
            }
        }
        return rest.allSatisfy(\.isEmpty)
    }

    private static func prompt(_ rows: Int) -> String {
        (beginnings(rows).last ?? "") + " "
    }

    private static func expectHarmless(_ bytes: [UInt8]) {
        let unsafe = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.isUnsafeToDisplay && $0 != "\n" && $0 != "\r"
        }
        #expect(unsafe.isEmpty)
    }

    @Test(arguments: cases)
    func `the prompt is displayed unchanged, and only keys answer it`(
        given: Case
    ) async throws {
        let (text, columns, rows) = (given.hostile.text, given.columns, given.rows)
        let terminal = try TerminalPair(columns: columns, rows: rows)
        let prompter = TerminalPrompter(gate: OutputGate(), path: terminal.path, pause: { _ in })
        async let answer = prompter.answer(Self.question(text))
        try await terminal.await("\r\n" + Self.prompt(rows))
        for width in [Screen.Width.narrow, .wide] {
            var screen = Screen(columns: columns, rows: rows, width: width)
            screen.show(terminal.bytes)
            #expect(Self.isIntact(screen.lines, rows: rows), "\(screen.lines)")
            #expect(screen.scrolled.isEmpty && screen.controls.isEmpty)
        }
        // After two invalid answers the first line is still visible.
        for _ in 1...2 {
            terminal.type("x\n")
            try await terminal.await("One letter, Enter: o/a/s/e/n/v/?> ")
        }
        var screen = Screen(columns: columns, rows: rows, width: .wide)
        screen.show(terminal.bytes)
        #expect(screen.lines.prefix(2).contains { $0.hasPrefix("-- Nervous asks you (1 of 1)") })
        // The explanation, a screen at a time, and the terms.
        terminal.type("?" + String(repeating: "\n", count: 40))
        #expect(await answer == .decided(.denyOnce))
        try await terminal.drain()
        Self.expectHarmless(terminal.bytes)
    }

    @Test(arguments: HostileText.all)
    func `no line of the help or of terms begins with text of the package`(
        hostile: HostileText
    ) async throws {
        let text = hostile.text
        let (columns, rows) = (40, 10)
        let terminal = try TerminalPair(columns: columns, rows: rows)
        let prompter = TerminalPrompter(gate: OutputGate(), path: terminal.path, pause: { _ in })
        async let answer = prompter.answer(Self.question(text))
        try await terminal.await("\r\n" + Self.prompt(rows))
        terminal.type("e\n1\n\n\n\n\n")
        try await terminal.await("Allow this until you change it? y/n> ")
        terminal.type("n\nv\n")
        #expect(await answer == .decided(.deny))
        try await terminal.drain()
        Self.expectHarmless(terminal.bytes)
        // Nothing wraps, even with wide characters.
        for line in terminal.text.split(separator: "\n") where !line.hasPrefix("Allow this") {
            #expect(CautiousText.columns(of: String(line)) < columns, "\(line)")
        }
        let own = try #require(
            QuestionText(Self.question(text), columns: columns - 1, rows: rows))
        for line in own.explanation(columns: columns - 1) {
            #expect(CautiousText.columns(of: line) < columns, "\(line)")
        }
    }

    @Test(arguments: HostileText.all)
    func `an error about a package's files is printed without its control characters`(
        hostile: HostileText
    ) async throws {
        let text = hostile.text
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "hostile-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.path + "/a.zip"
        let library = try await AppLibrary.open(
            at: folder.appending(path: "apps"),
            unpacker: ArchiveUnpacker(program: BuiltProgram.folder + "/nervous-unpacker"),
            keys: KeyFolder(data: folder.path))
        let terminal = try TerminalPair()
        let console = Console(
            isJSON: false, gate: OutputGate(), output: terminal.program, messages: terminal.program)
        let manifest = #"{"name":"demo","version":"1"}"#
        let packages = [
            ["demo/\(text)": "", "demo/package.json": manifest],
            ["\(text)/package.json": manifest],
            ["demo/package.json": text, "demo/app.js": "", "demo/app.html": ""],
        ]
        for files in packages {
            try ZipWriter.write(files, to: file)
            let archive = [UInt8](try Data(contentsOf: URL(filePath: file)))
            let failure = await #expect(throws: (any Error).self) {
                _ = try await library.install(archive: archive)
            }
            if let failure { console.report(CommandFailure(failure)) }
        }
        console.say("end of errors")
        try await terminal.await("end of errors\r\n")
        Self.expectHarmless(terminal.bytes)
    }

    @Test func `unescaped text is detected`() {
        for text in ["\u{1B}[1A\u{1B}[2K", "\n", String(repeating: "W", count: 40), "\u{1B}[2J"] {
            var screen = Screen(columns: 40, rows: 10, width: .narrow)
            let lines = Self.beginnings(10).joined(separator: "\r\n").replacing(
                "Claims:  ", with: "Claims:  " + text)
            screen.show(Array(lines.utf8))
            #expect(!Self.isIntact(screen.lines, rows: 10), "\(screen.lines)")
        }
    }
}
