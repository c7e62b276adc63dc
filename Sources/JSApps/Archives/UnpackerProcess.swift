import CFiles
import CProcess
import Glibc

/// A running `nervous-unpacker` and the host's end of its pipe.
///
/// The kernel kills it when the thread that started it ends, so that thread has to read its output. When
/// this value is destroyed, the process is killed and reaped.
struct UnpackerProcess: ~Copyable {
    private let pid: pid_t
    private let output: Int32

    private init(pid: pid_t, output: Int32) {
        self.pid = pid
        self.output = output
    }

    deinit {
        close(output)
        // Nothing else waits for it, so its process number cannot have been reused.
        _ = Self.end(pid)
    }

    /// Starts it with the archive as descriptor 0, a pipe as 1 and `/dev/null` as 2.
    static func start(
        program: String, arguments: [String], archive: [UInt8]
    ) throws(JSAppsError) -> UnpackerProcess {
        let memory = archive.withUnsafeBytes { nervous_sealed_memory($0.baseAddress, $0.count) }
        guard memory >= 0 else {
            throw .io("Could not copy the archive to memory", .last("memfd_create"))
        }
        defer { close(memory) }
        var pipes: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&pipes)
        guard failure == 0 else {
            throw .io("Could not create a pipe", SystemError(call: "pipe", number: failure))
        }
        defer { close(pipes[1]) }
        do throws(SystemError) {
            let pid = try spawn(program, arguments, input: memory, output: pipes[1])
            return UnpackerProcess(pid: pid, output: pipes[0])
        } catch {
            close(pipes[0])
            throw .unpackerCannotStart(error)
        }
    }

    /// The next bytes of its output; empty at the end.
    ///
    /// - Parameter timeLeft: the time to wait, reduced by the time waited.
    func read(within timeLeft: inout Duration) throws(JSAppsError) -> ArraySlice<UInt8> {
        let clock = ContinuousClock()
        while true {
            let start = clock.now
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: timeLeft.milliseconds))
            timeLeft -= start.duration(to: clock.now)
            guard ready != 0, timeLeft > .zero else { throw .unpackerTimedOut }
            // `poll` was interrupted: without data, `read` would block.
            guard ready > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return buffer[..<max(0, count)]
        }
    }

    /// The error for output that ended too early.
    consuming func unexpectedEnd() -> JSAppsError {
        let (pid, output) = (pid, output)
        discard self
        close(output)
        // The process may still run although its pipe is closed, so it is killed. A process that is
        // already exiting keeps its own status.
        return .unpackerEnded(status: Self.end(pid))
    }

    /// Kills and reaps it.
    ///
    /// - Returns: the status of waitpid(2).
    private static func end(_ pid: pid_t) -> Int32 {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func spawn(
        _ program: String, _ arguments: [String], input: Int32, output: Int32
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Duplicates with numbers above 0 and 1, which the program gets, so that the first dup2
        // cannot overwrite the source of the second.
        let source = fcntl(input, F_DUPFD_CLOEXEC, 10)
        let sink = fcntl(output, F_DUPFD_CLOEXEC, 10)
        defer {
            close(source)
            close(sink)
        }
        guard source >= 0, sink >= 0 else { throw .last("fcntl") }
        posix_spawn_file_actions_adddup2(&actions, source, 0)
        posix_spawn_file_actions_adddup2(&actions, sink, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words = ([program] + arguments).map { strdup($0) }
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        let error = posix_spawn(&pid, program, &actions, nil, words + [nil], &environment)
        guard error == 0 else { throw SystemError(call: "posix_spawn", number: error) }
        return pid
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 + 1
    }
}
