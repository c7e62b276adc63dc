import CProcess
import Foundation
import Glibc
import Samples
import Synchronization
import Text

/// A program in its own process group, which is terminated as a whole.
final class CommandProcess: Sendable {
    /// The search path of programs; the `PATH` of this process is ignored.
    private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// Signals this process may ignore; the program starts with their default actions.
    private static let signals = [SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD]

    /// The non-blocking read end of its standard output.
    let output: OwnedDescriptor
    let errors: OwnedDescriptor
    private let pid: pid_t
    /// A pidfd, readable when the program has exited.
    private let handle: OwnedDescriptor

    /// - Parameter words: the program and its arguments.
    /// - Throws: ``ConnectorError`` if the program is missing or cannot be started.
    init(_ words: [String]) throws(ConnectorError) {
        let program = try Self.program(words.first ?? "")
        let (output, outputEnd) = try OwnedDescriptor.pipe()
        let (errors, errorsEnd) = try OwnedDescriptor.pipe()
        (self.output, self.errors) = (output, errors)
        pid = try Self.spawn(program, words, outputEnd.number, errorsEnd.number)
        handle = OwnedDescriptor(nervous_process_open(pid))
        guard handle.number >= 0 else {
            kill(-pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw ConnectorError("\(program) cannot be watched: \(Self.text(errno)).")
        }
    }

    /// Forwards its output until it exits.
    ///
    /// - Throws: ``ConnectorError`` if it cannot be watched; `CancellationError`.
    func readToEnd(
        output body: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        errors errorOutput: @escaping @Sendable (ArraySlice<UInt8>) -> Void
    ) async throws {
        try await DescriptorWatch.wait(for: [
            output.watched(atEnd: .leave, body), errors.watched(atEnd: .leave, errorOutput),
            DescriptorWatch.Entry(descriptor: handle.number) { .finish },
        ])
    }

    /// Terminates its process group, even in a cancelled task: with SIGTERM, and with SIGKILL after
    /// `grace` or when the program itself has exited.
    ///
    /// - Returns: its status from waitpid(2).
    func end(within grace: Duration) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                kill(-self.pid, SIGTERM)
                let milliseconds = Int32(clamping: grace.wholeMicroseconds / 1000)
                var entry = pollfd(fd: self.handle.number, events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, milliseconds)
                // The process has not been reaped, so its group number cannot have been reused.
                kill(-self.pid, SIGKILL)
                var status: Int32 = 0
                while waitpid(self.pid, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
    }

    // MARK: - Starting

    private static func program(_ name: String) throws(ConnectorError) -> String {
        let folders = name.hasPrefix("/") ? [""] : path.split(separator: ":").map { "\($0)/" }
        for folder in folders where access(folder + name, X_OK) == 0 { return folder + name }
        if name.hasPrefix("/") {
            throw ConnectorError("\(name) does not exist or is not executable.")
        }
        throw ConnectorError("\(name) is not installed; it is in none of \(path).")
    }

    private static func spawn(
        _ program: String, _ words: [String], _ output: Int32, _ errors: Int32
    ) throws(ConnectorError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Numbers from 10 on, so that no action overwrites a descriptor a later one needs.
        let sources = [output, errors].map { OwnedDescriptor(fcntl($0, F_DUPFD_CLOEXEC, 10)) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, sources[0].number, 1)
        posix_spawn_file_actions_adddup2(&actions, sources[1].number, 2)
        // The program must not get descriptors this process inherited.
        for number in inheritable { posix_spawn_file_actions_addclose(&actions, number) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in signals { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let home = getenv("HOME").map { String(cString: $0) } ?? "/"
        let environment = ["PATH=\(path)", "HOME=\(home)", "LANG=C"]
        let variables = environment.map { strdup($0) }
        let texts = words.map { strdup($0) }
        defer { (variables + texts).forEach { free($0) } }
        var pid: pid_t = 0
        let error = posix_spawn(
            &pid, program, &actions, &attributes, texts + [nil], variables + [nil])
        withExtendedLifetime(sources) {}
        guard error == 0 else {
            throw ConnectorError("\(program) cannot be started: \(text(error)).")
        }
        return pid
    }

    /// The descriptors above 2 without close-on-exec.
    private static var inheritable: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { number in
            let flags = fcntl(number, F_GETFD)
            return number > 2 && flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }

    private static func text(_ error: Int32) -> String { String(cString: strerror(error)) }
}

/// The last part of a program's standard error.
final class ErrorOutput: Sendable {
    private static let kept = 1024
    private static let shown = 160

    private let bytes = Mutex<[UInt8]>([])

    func take(_ more: ArraySlice<UInt8>) {
        bytes.withLock { bytes in
            bytes += more
            bytes.removeFirst(max(0, bytes.count - Self.kept))
        }
    }

    /// The last line, escaped for display and preceded by a colon; empty if there is none.
    var text: String {
        let lines = bytes.withLock { $0.split { $0 == 0x0A || $0 == 0x0D } }
        guard let last = lines.last(where: { $0.contains { $0 > 0x20 } }) else { return "" }
        var line = String(decoding: last, as: UTF8.self).escapedForDisplay(limit: Self.shown)
        while line.last == "." { line.removeLast() }
        return ": \(line)"
    }
}
