import Dispatch
import Foundation
import Glibc

/// One `nervous-runner` and the host's ends of its socket and its output.
///
/// Reading and writing block, so each has a queue of its own.
final class RunnerProcess: Sendable {
    let pid: pid_t
    private let socket: Int32
    private let output: Int32
    private let reading = DispatchQueue(label: "runner.read")
    private let writing = DispatchQueue(label: "runner.write")
    private let listening = DispatchQueue(label: "runner.output")
    private let endings: AsyncStream<Ending>

    /// How a process ended.
    enum Ending: Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Starts it with `/dev/null`, one pipe for what it says when it fails, and the socket as 3.
    static func start(
        path: String, arguments: [String]
    ) async throws(JSAppsError) -> RunnerProcess {
        var sockets: [Int32] = [-1, -1]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets)
                == 0
        else { throw failure("make a socket") }
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else {
            let error = failure("make a pipe")
            sockets.forEach { close($0) }
            throw error
        }
        // The runner closes whatever else it may inherit, so the moment in between does no harm.
        pipes.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        let (endings, ended) = AsyncStream.makeStream(of: Ending.self)
        let (socket, output) = (sockets[1], pipes[1])
        let started = await withCheckedContinuation { continuation in
            // The kernel ends the runner with the thread that started it, so this one stays.
            Thread.detachNewThread {
                let result = Result { () throws(JSAppsError) in
                    try spawn(path, arguments, socket: socket, output: output)
                }
                close(socket)
                close(output)
                continuation.resume(returning: result)
                if case .success(let pid) = result { ended.yield(wait(for: pid)) }
                ended.finish()
            }
        }
        do {
            return RunnerProcess(
                pid: try started.get(), socket: sockets[0], output: pipes[0], endings: endings)
        } catch {
            close(sockets[0])
            close(pipes[0])
            throw error
        }
    }

    private init(pid: pid_t, socket: Int32, output: Int32, endings: AsyncStream<Ending>) {
        self.pid = pid
        self.socket = socket
        self.output = output
        self.endings = endings
    }

    deinit {
        close(socket)
        close(output)
    }

    /// The next bytes it sends; empty when it has closed its end.
    func read() async -> [UInt8] {
        await Self.read(socket, on: reading)
    }

    /// The next bytes of what it printed; empty when nothing more comes.
    func readOutput() async -> [UInt8] {
        await Self.read(output, on: listening)
    }

    /// Sends all bytes, in the order of the calls.
    ///
    /// - Returns: `false` when it no longer reads.
    func write(_ bytes: [UInt8]) async -> Bool {
        let socket = socket
        return await withCheckedContinuation { continuation in
            writing.async {
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                continuation.resume(returning: rest.isEmpty)
            }
        }
    }

    func kill() {
        _ = Glibc.kill(pid, SIGKILL)
    }

    /// Ends the conversation: whatever waits for the socket comes back.
    func hangUp() {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Waits for the end of the process; to be called once.
    func wait() async -> Ending {
        for await ending in endings { return ending }
        return .signalled(SIGKILL)
    }

    private static func wait(for pid: pid_t) -> Ending {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    private static func read(_ descriptor: Int32, on queue: DispatchQueue) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            queue.async {
                let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                    var received = -1
                    repeat {
                        received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    } while received < 0 && errno == EINTR
                    count = max(0, received)
                }
                continuation.resume(returning: bytes)
            }
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], socket: Int32, output: Int32
    ) throws(JSAppsError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Past the four it may have, so that no action overwrites what a later one needs.
        let source = fcntl(socket, F_DUPFD_CLOEXEC, 10)
        let sink = fcntl(output, F_DUPFD_CLOEXEC, 10)
        defer {
            close(source)
            close(sink)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, sink, 1)
        posix_spawn_file_actions_adddup2(&actions, sink, 2)
        posix_spawn_file_actions_adddup2(&actions, source, 3)
        let strings = ([path] + arguments).map { strdup($0) }
        defer { strings.forEach { free($0) } }
        var pid: pid_t = 0
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        let error = posix_spawn(&pid, path, &actions, nil, strings + [nil], &environment)
        guard error == 0 else {
            throw JSAppsError(
                .io, "Cannot start \(path): \(String(cString: strerror(error))).",
                hint: "Build it with: swift build --product nervous-runner")
        }
        return pid
    }

    private static func failure(_ action: String) -> JSAppsError {
        JSAppsError(.io, "Cannot \(action) for the runner: \(String(cString: strerror(errno))).")
    }
}
