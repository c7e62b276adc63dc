import CProcess
import Glibc

/// One process that runs an app, with the host's ends of its socket and of the pipe that it
/// complains to.
final class RunnerProcess: Sendable {
    let pid: pid_t
    private let socket: Descriptor
    /// Comes once, when it has ended.
    let endings: AsyncStream<ProcessEnding>

    private let handle: Descriptor
    private let output: Descriptor
    private static let longestComplaint = 4096

    /// The two ends of a socket and of a pipe that no other program inherits.
    struct Channels {
        let socket: (host: Int32, runner: Int32)
        let output: (host: Int32, runner: Int32)

        init() throws(JSAppsError) {
            var sockets: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
                throw .io("Could not make a socket for the runner", .last("socketpair"))
            }
            var pipes: [Int32] = [-1, -1]
            let failure = nervous_process_pipe(&pipes)
            guard failure == 0 else {
                let error = SystemError(call: "pipe", number: failure)
                sockets.forEach { close($0) }
                throw .io("Could not make a pipe for the runner", error)
            }
            // It is read once the process has ended; that must not wait for more.
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

    /// - Parameter handle: a descriptor that stands for the process.
    init(
        pid: pid_t, handle: Descriptor, channels: Channels, endings: AsyncStream<ProcessEnding>
    ) {
        self.pid = pid
        self.handle = handle
        socket = Descriptor(channels.socket.host)
        output = Descriptor(channels.output.host)
        self.endings = endings
    }

    /// Starts a runner that nothing confines.
    static func startUnconfined(path: String) async throws(JSAppsError) -> RunnerProcess {
        let channels = try Channels()
        let child: ChildProcess
        do {
            child = try await ChildProcess.start(
                path, ["--insecure-no-sandbox"],
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

    /// Another descriptor for the host's end of the socket, which is for the caller to close.
    func connection() throws(SystemError) -> Int32 {
        let copy = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("fcntl") }
        return copy
    }

    func kill() {
        _ = nervous_process_signal(handle.number, SIGKILL)
    }

    /// Whether it runs still.
    var isAlive: Bool { nervous_process_signal(handle.number, 0) == 0 }

    /// What it printed, once it has ended; cut at 4096 bytes.
    func complaint() -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.longestComplaint) { buffer, count in
            count = max(0, read(output.number, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Processor time that it has used so far and the bytes that are resident now; `nil` when it has
    /// ended.
    func usage() -> (cpu: Duration, memory: Int)? {
        let found = ProcessStatistics(of: pid)
        // Once it has ended its number may be another's.
        return isAlive ? found.map { ($0.cpu, $0.resident) } : nil
    }
}
