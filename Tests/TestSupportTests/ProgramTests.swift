import CProcess
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.blocking, .timeLimit(.minutes(10)))
struct ProgramTests {
    private static func shell(
        _ script: String, input: Program.Input = .nothing, output: Program.Output = .nothing,
        errors: Program.Output = .nothing
    ) throws -> Program {
        try Program("/bin/sh", ["-c", script], input: input, output: output, errors: errors)
    }

    private static func text(_ script: String) throws -> String {
        String(decoding: try shell(script, output: .pipe).readToEnd(), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("exit 0", .exit(0), 0), ("exit 7", .exit(7), 7), ("exit 143", .exit(143), 143),
            ("kill -TERM $$", .signal(SIGTERM), 143), ("kill -KILL $$", .signal(SIGKILL), 137),
        ] as [(String, Program.Ending, Int32)])
    func `waiting again for an ended program returns the same exit status`(
        script: String, ending: Program.Ending, code: Int32
    ) async throws {
        let program = try Self.shell(script)
        #expect(try await program.wait() == code)
        #expect(try await program.wait() == code)
        #expect(try program.ending() == ending)
        #expect(!program.isRunning)
        // Signals have no effect after the end.
        program.signal(SIGKILL)
        program.end()
        #expect(try program.ending() == ending)
    }

    @Test func `concurrent waiters all return when the program ends`() async throws {
        let program = try Self.shell("read line; exit 3", input: .pipe)
        let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 1...16 { group.addTask { try await program.wait() } }
            try program.write(Array("go\n".utf8))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: 3, count: 16))
    }

    @Test func `a program that exceeds the time limit is named and killed`() throws {
        let program = try Program("/bin/sleep", ["600"])
        let error = #expect(throws: Program.Failure.self) {
            try program.wait(atMost: .milliseconds(50))
        }
        #expect(error?.description.contains("/bin/sleep 600") == true)
        #expect(!program.isRunning)
        #expect(try program.wait() == 128 + SIGKILL)
    }

    @Test func `cancelling the waiting task kills the program`() async throws {
        let program = try Program("/bin/sleep", ["600"])
        let task = Task { try await program.wait() }
        task.cancel()
        #expect(try await task.value == 128 + SIGKILL)
    }

    @Test
    func `a read that exceeds the time limit reports the output so far and kills the program`()
        throws
    {
        let program = try Self.shell(
            "echo one; read line; echo two >&2; exec sleep 600", input: .pipe, output: .pipe,
            errors: .pipe)
        #expect(try program.read { $0.contains(0x0A) } == Data("one\n".utf8))
        try program.write(Array("go\n".utf8))
        let error = #expect(throws: Program.Failure.self) {
            try program.read(atMost: .seconds(2)) { $0.contains(0x21) }
        }
        #expect(error?.description.hasPrefix("/bin/sh -c echo one") == true)
        #expect(error?.description.hasSuffix("its output: two\n") == true)
        #expect(!program.isRunning)
    }

    @Test func `child processes left behind do not delay waiting, and end with the value`() throws {
        var program: Program? = try Self.shell("sleep 600 & echo $!; exit 5", output: .pipe)
        #expect(try program?.wait() == 5)
        let said = try #require(try program?.readToEnd())
        let number = try #require(Int32(String(decoding: said, as: UTF8.self).dropLast()))
        let left = nervous_process_open(number)
        try #require(left >= 0)
        defer { close(left) }
        var entry = pollfd(fd: left, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 0) == 0)
        program = nil
        #expect(poll(&entry, 1, 60_000) == 1)
    }

    @Test func `a program without a waiter ends with the value`() throws {
        var program: Program? = try Program("/bin/sleep", ["600"])
        let number = try #require(program?.pid)
        #expect(getpgid(number) == number)
        program = nil
        #expect(kill(-number, 0) == -1)
        #expect(errno == ESRCH)
    }

    @Test func `only the intended descriptors are inherited`() throws {
        // Foundation's own pipes are open in every program that is started meanwhile.
        let leaking = Pipe()
        let list = ["/proc/self/fd"]
        let own = try Program("/bin/ls", list, output: .pipe)
        // The fourth is that of the folder itself.
        #expect(try own.readToEnd() == Data("0\n1\n2\n3\n".utf8))
        let one = leaking.fileHandleForReading.fileDescriptor
        let more = try Program("/bin/ls", list, output: .pipe, more: [one])
        #expect(try more.readToEnd() == Data("0\n1\n2\n3\n4\n".utf8))
        withExtendedLifetime(leaking) {}
    }

    @Test func `signals have their defaults, whatever the test's thread blocks`() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let former = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, former) }
        let program = try Program(
            "/bin/grep", ["-E", "^Sig(Blk|Ign)", "/proc/self/status"], output: .pipe)
        let masks = String(decoding: try program.readToEnd(), as: UTF8.self).split(separator: "\n")
            .compactMap { UInt64($0.suffix(16), radix: 16) }
        // The C library itself ignores two of its own, 32 and 33, in whatever it starts.
        #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
        let sleeper = try Program("/bin/sleep", ["600"])
        sleeper.signal(SIGTERM)
        #expect(try sleeper.ending() == .signal(SIGTERM))
    }

    @Test func `output and errors can be combined or redirected separately`() throws {
        let both = try Self.shell("echo one; echo two >&2", output: .pipe, errors: .pipe)
        #expect(try both.readToEnd() == Data("one\ntwo\n".utf8))
        let errors = try Self.shell("echo one; echo two >&2", errors: .pipe)
        #expect(try errors.readToEnd() == Data("two\n".utf8))
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("much that was there before".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.shell("echo one; echo two >&2", output: .file(file.path)).wait()
        #expect(try Data(contentsOf: file) == Data("one\n".utf8))
    }

    @Test func `standard input is empty, a text, or a pipe`() throws {
        #expect(try Self.text("cat; echo end") == "end\n")
        let text = try Self.shell("cat", input: .text("a\nb\n"), output: .pipe)
        #expect(try text.readToEnd() == Data("a\nb\n".utf8))
        let piped = try Self.shell("cat >/dev/null; echo end", input: .pipe, output: .pipe)
        // More than a pipe holds.
        try piped.write([UInt8](repeating: 0x41, count: 1 << 20))
        piped.endInput()
        #expect(try piped.readToEnd() == Data("end\n".utf8))
    }

    @Test func `input that a program does not read is an error and does not end the test`() throws {
        let program = try Self.shell(
            "exec <&-; echo closed; exec sleep 600", input: .pipe, output: .pipe)
        _ = try program.read { $0.contains(0x0A) }
        let bytes = [UInt8](repeating: 0x41, count: 1 << 20)
        #expect(throws: Program.Failure.self) { try program.write(bytes) }
        let lazy = try Program("/bin/sleep", ["600"], input: .pipe)
        #expect(throws: Program.Failure.self) {
            try lazy.write(bytes, atMost: .milliseconds(50))
        }
    }

    @Test func `everything that a program wrote before its end is read`() throws {
        let program = try Self.shell(
            "head -c 60000 /dev/zero; sleep 600 & exit 0", output: .pipe)
        try program.wait()
        #expect(try program.readToEnd().count == 60000)
    }

    @Test func `a program gets the given environment and folder`() throws {
        let script = "pwd; echo $ONE; echo ${HOME-none}"
        let program = try Program(
            "/bin/sh", ["-c", script], environment: ["ONE": "1"], directory: "/usr",
            output: .pipe)
        #expect(try program.readToEnd() == Data("/usr\n1\nnone\n".utf8))
        let home = try #require(ProcessInfo.processInfo.environment["PATH"])
        #expect(try Self.text("echo $PATH") == home + "\n")
    }

    @Test func `the error for a missing program names it`() throws {
        let error = #expect(throws: Program.Failure.self) { try Program("/no/such/program") }
        #expect(error?.description == "cannot start /no/such/program: No such file or directory")
    }
}
