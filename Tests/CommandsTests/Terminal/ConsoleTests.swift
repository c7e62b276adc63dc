import Foundation
import Testing

@testable import Commands
@testable import Host

/// Where text of apps is escaped.
@Suite(.timeLimit(.minutes(10)))
struct ConsoleTests {
    private static let text = "a \"b\" \\ \u{A0}\tc\u{1B}[2J\nnext"

    @Test func `a pipe gets the text of an app as the app wrote it`() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let console = Console(
            isJSON: false, gate: OutputGate(), output: descriptor, messages: descriptor)
        console.show(Self.text, limit: 10)
        console.show(Self.text, limit: 10, isMessage: true)
        console.show(Self.text, limit: 10, keepsLayout: true)
        try pipe.fileHandleForWriting.close()
        let written = try #require(try pipe.fileHandleForReading.readToEnd())
        #expect(written == Data(String(repeating: Self.text + "\n", count: 3).utf8))
    }

    @Test func `a terminal gets it escaped, with the tabs of a page`() async throws {
        let terminal = try TerminalPair()
        let console = Console(
            isJSON: false, gate: OutputGate(), output: terminal.program, messages: terminal.program)
        console.show(Self.text, limit: 100)
        console.show(Self.text, limit: 100, keepsLayout: true)
        try await terminal.drain()
        #expect(!terminal.bytes.contains(0x1B))
        let plain = #"a "b" \\ \u{a0}\u{9}c\u{1b}[2J"#
        let lines = terminal.text.split(separator: "\n").map { String($0) }
        #expect(
            lines == [plain, "next", #"a "b" \\  "# + "\tc" + #"\u{1b}[2J"#, "next"], "\(lines)")
    }

    @Test func `results and messages are escaped by where each goes`() async throws {
        let (terminal, pipe) = (try TerminalPair(), Pipe())
        let console = Console(
            isJSON: false, gate: OutputGate(), output: pipe.fileHandleForWriting.fileDescriptor,
            messages: terminal.program)
        console.show("\u{1B}c", limit: 100)
        console.show("\u{1B}c", limit: 100, isMessage: true)
        try await terminal.drain()
        #expect(terminal.text == "\\u{1b}c\n")
        #expect(pipe.fileHandleForReading.availableData == Data("\u{1B}c\n".utf8))
    }
}
