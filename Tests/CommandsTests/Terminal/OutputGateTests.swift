import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import Host

/// No other output is written to the terminal during a prompt.
@Suite(.timeLimit(.minutes(10)))
struct OutputGateTests {
    @Test func `output is buffered until the answer, in order`() async throws {
        let (terminal, gate) = (try TerminalPair(), OutputGate())
        let console = Console(
            isJSON: false, gate: gate, output: terminal.program, messages: terminal.program)
        console.print("before")
        await gate.hold()
        await withTaskGroup { group in
            for writer in 1...4 {
                group.addTask {
                    for line in 1...5 { console.print("writer \(writer) line \(line)") }
                }
            }
        }
        // The device itself is not buffered: this text is written first.
        _ = "question\n".withCString { write(terminal.program, $0, 9) }
        gate.release()
        console.print("after")
        try await terminal.await("after\r\n")
        let lines = terminal.text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["before", "question"])
        #expect(lines.last == "after")
        #expect(lines.count == 23)
        for writer in 1...4 {
            let own = lines.filter { $0.hasPrefix("writer \(writer)") }
            #expect(own == (1...5).map { "writer \(writer) line \($0)" })
        }
    }

    @Test func `the buffer is bounded, and dropped writes are counted`() async throws {
        let (terminal, gate) = (try TerminalPair(), OutputGate())
        await gate.hold()
        let line = String(repeating: "x", count: 1023) + "\n"
        for _ in 1...300 { gate.write(line, to: terminal.program) }
        gate.release()
        try await terminal.await("Output was dropped during the prompt (44 writes).")
        #expect(terminal.text.count { $0 == "x" } == 256 * 1023)
    }

    @Test func `output to files is not buffered`() async throws {
        let gate = OutputGate()
        let pipe = Pipe()
        await gate.hold()
        gate.write("fact\n", to: pipe.fileHandleForWriting.fileDescriptor)
        #expect(
            String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) == "fact\n")
        gate.release()
    }

    @Test(.blocking) func `a write to a full non-blocking pipe sleeps until there is room`()
        throws
    {
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        _ = fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK)
        let text = String(repeating: "x", count: 1 << 20)
        let thread = Mutex("")
        Thread.detachNewThread {
            let found = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            thread.withLock { $0 = found ?? "" }
            withExtendedLifetime(reading) {
                OutputGate().write(text, to: writing.fileDescriptor)
            }
        }
        try waitUntil {
            var entry = pollfd(fd: writing.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) == 0 else { return false }
            let path = thread.withLock { "/proc/\($0)/stat" }
            return try String(contentsOfFile: path, encoding: .utf8).contains(") S ")
        }
        var count = 0
        while count < text.utf8.count { count += reading.availableData.count }
        #expect(count == text.utf8.count)
    }

    @Test func `prompts are displayed one after the other`() async throws {
        let gate = OutputGate()
        let (order, note) = AsyncStream.makeStream(of: String.self)
        await gate.hold()
        try await withThrowingTaskGroup { group in
            group.addTask {
                await gate.hold()
                note.yield("second")
                gate.release()
                note.finish()
            }
            note.yield("first")
            gate.release()
            try await group.waitForAll()
        }
        var noted: [String] = []
        for await word in order { noted.append(word) }
        #expect(noted == ["first", "second"])
    }

    @Test(arguments: [
        (#"{"a":"plain"}"#, #"{"a":"plain"}"#), ("{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"),
        ("\"\u{9B}2J\"", #""\u009b2J""#), ("\"\u{202E}x\u{200B}\"", #""\u202ex\u200b""#),
        ("\"grün 名\"", "\"grün 名\""), ("\"\u{E0001}\"", #""\udb40\udc01""#),
    ])
    func `escaped JSON is equivalent and contains no control characters`(
        json: String, shown: String
    ) throws {
        #expect(Console.escaped(json) == shown)
        let decode = { (text: String) in
            try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
        #expect("\(try decode(json))" == "\(try decode(shown))")
    }
}
