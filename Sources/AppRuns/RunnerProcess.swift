import CProcess
import Foundation
import Glibc
import NIOCore
import NIOPosix

/// A process that runs an app, with the host's ends of its socket and of its output pipe.
final class RunnerProcess: Sendable {
    let pid: pid_t
    private let socket: Descriptor
    /// Yields one element, when the process has ended.
    let endings: AsyncStream<ProcessEnding>

    private let handle: Descriptor
    private let pipe: Descriptor
    private static let outputLimit = 4096

    /// The two ends of a socket and of a pipe; no other program inherits them.
    struct Channels {
        let socket: (host: Int32, runner: Int32)
        let output: (host: Int32, runner: Int32)

        init() throws(AppRunsError) {
            var sockets: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
                throw .io("Could not create a socket for the runner")
            }
            var pipes: [Int32] = [-1, -1]
            let failure = nervous_process_pipe(&pipes)
            guard failure == 0 else {
                sockets.forEach { close($0) }
                throw .io("Could not create a pipe for the runner", failure)
            }
            // The output is read after the process has ended; reading must not wait for more.
            _ = fcntl(pipes[0], F_SETFL, O_NONBLOCK)
            socket = (sockets[0], sockets[1])
            output = (pipes[0], pipes[1])
        }

        func closeRunnerEnds() {
            close(socket.runner)
            close(output.runner)
        }

        func closeHostEnds() {
            close(socket.host)
            close(output.host)
        }
    }

    /// - Parameter handle: a process descriptor (pidfd).
    init(
        pid: pid_t, handle: Descriptor, channels: Channels, endings: AsyncStream<ProcessEnding>
    ) {
        self.pid = pid
        self.handle = handle
        socket = Descriptor(channels.socket.host)
        pipe = Descriptor(channels.output.host)
        self.endings = endings
    }

    /// Starts a runner without confinement.
    static func startUnconfined(
        path: String, zone: AppTimeZone = .system
    ) async throws(AppRunsError) -> RunnerProcess {
        let channels = try Channels()
        let child: ChildProcess
        do {
            child = try await ChildProcess.start(
                path, ["--insecure-no-sandbox"], environment: zone.environment,
                descriptors: [
                    channels.output.runner, fcntl(channels.output.runner, F_DUPFD_CLOEXEC, 0),
                    channels.socket.runner,
                ])
        } catch {
            channels.closeHostEnds()
            throw error
        }
        return RunnerProcess(
            pid: child.pid, handle: child.handle, channels: channels, endings: child.endings)
    }

    /// Duplicates the host's end of the socket; the caller closes the descriptor.
    func connection() throws(AppRunsError) -> Int32 {
        let copy = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .io("Could not duplicate the runner's socket") }
        return copy
    }

    /// Opens a channel on the socket.
    ///
    /// - Throws: `AppRunsError` if the host has no descriptor left.
    func openChannel(
        on loop: any EventLoop
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: loop).withConnectedSocket(try connection()) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
    }

    func kill() {
        _ = nervous_process_signal(handle.number, SIGKILL)
    }

    /// Whether it is still running.
    var isAlive: Bool { nervous_process_signal(handle.number, 0) == 0 }

    /// Its output, truncated to 4096 bytes; to be read after it has ended.
    func output() -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.outputLimit) { buffer, count in
            count = max(0, read(pipe.number, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The processor time used, and the bytes of memory that are of no file; `nil` when it has ended.
    ///
    /// Pages that it still shares with the zygote count, from its start on.
    func ownUsage() -> (cpu: Duration, memory: Int)? {
        guard let used = usage(),
            let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
        else { return nil }
        // Source: proc_pid_statm(5), fields 2 and 3.
        let fields = text.split(separator: " ").map { Int($0) }
        guard fields.count > 2, let resident = fields[1], let ofFiles = fields[2], isAlive else {
            return nil
        }
        return (used.cpu, (resident - ofFiles) * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Gives it only processor time that no other process needs, until it ends.
    func yieldProcessor() {
        let folder = "/proc/\(pid)/task"
        guard isAlive, let tasks = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return }
        // Fails only for a thread that has ended.
        for task in tasks.compactMap({ pid_t($0) }) { _ = nervous_process_yield(task) }
    }

    /// The processor time used and the resident bytes; `nil` when it has ended.
    func usage() -> (cpu: Duration, memory: Int)? {
        let found = ProcessStatistics(of: pid)
        // After the end of the process, another one may have its number.
        return isAlive ? found.map { ($0.cpu, $0.resident) } : nil
    }
}

/// A file descriptor, closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// The bytes of the file from its beginning; `nil` if they cannot be read.
    func contents() -> [UInt8]? {
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        let size = Int(status.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let read = pread(
                    number, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                guard read > 0 else { return }
                count += read
            }
        }
        return bytes.count == size ? bytes : nil
    }
}

/// Resource usage of a running process.
///
/// Source: proc_pid_stat(5), fields 14, 15 and 24.
struct ProcessStatistics {
    let cpu: Duration
    /// Bytes.
    let resident: Int

    init?(of pid: pid_t) {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return nil
        }
        self.init(text)
    }

    init?(_ text: String) {
        // The name may contain parentheses, so fields start after the last one.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map { Int($0) }
        guard fields.count > 21, let user = fields[11], let system = fields[12],
            let pages = fields[21]
        else { return nil }
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        cpu = .milliseconds((user + system) * 1000 / ticks)
        resident = pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
