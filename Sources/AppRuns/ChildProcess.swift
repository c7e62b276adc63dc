import CProcess
import Foundation
import Glibc

/// A companion program, which the kernel kills when this process ends.
final class ChildProcess: Sendable {
    let pid: pid_t
    /// The process descriptor (pidfd), valid even after its number was reused.
    let handle: Descriptor
    /// Yields one element, when the process has ended.
    let endings: AsyncStream<ProcessEnding>

    /// Starts a program with `/dev/null` as descriptor 0 and the given ones from 1 on.
    ///
    /// The descriptors are closed in this process.
    ///
    /// - Parameter environment: all of its environment, such as `TZ=UTC`.
    /// - Throws: `io` if it cannot be started.
    static func start(
        _ path: String, _ arguments: [String], environment: [String] = [], descriptors: [Int32]
    ) async throws(AppRunsError) -> ChildProcess {
        let (endings, ended) = AsyncStream.makeStream(of: ProcessEnding.self)
        let started = await withCheckedContinuation { continuation in
            // The kernel kills the program when the thread that started it ends, so this thread
            // waits for the program.
            Thread.detachNewThread {
                let result = Result { () throws(AppRunsError) in
                    let pid = try spawn(path, arguments, environment, descriptors)
                    // Its number is not reused before it is waited for.
                    let handle = Descriptor(nervous_process_open(pid))
                    guard handle.number >= 0 else {
                        let number = errno
                        Glibc.kill(pid, SIGKILL)
                        _ = wait(for: pid)
                        throw .io("Could not start \(path)", number)
                    }
                    return (pid, handle)
                }
                descriptors.forEach { close($0) }
                continuation.resume(returning: result)
                if case .success((let pid, _)) = result { ended.yield(wait(for: pid)) }
                ended.finish()
            }
        }
        let (pid, handle) = try started.get()
        return ChildProcess(pid: pid, handle: handle, endings: endings)
    }

    private init(pid: pid_t, handle: Descriptor, endings: AsyncStream<ProcessEnding>) {
        self.pid = pid
        self.handle = handle
        self.endings = endings
    }

    func kill() {
        _ = nervous_process_signal(handle.number, SIGKILL)
    }

    private static func wait(for pid: pid_t) -> ProcessEnding {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return ProcessEnding(
            status: status, cpu: .seconds(seconds) + .microseconds(microseconds),
            peakMemory: usage.ru_maxrss << 10)
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String], _ descriptors: [Int32]
    ) throws(AppRunsError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        // Duplicates with numbers above those that the program gets, so that no dup2 overwrites
        // the source of a later one.
        let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 16) }
        defer { for source in sources { close(source) } }
        guard sources.allSatisfy({ $0 >= 0 }) else {
            throw .io("Could not start \(path)")
        }
        for (index, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(index + 1))
        }
        let strings = ([path] + arguments).map { strdup($0) }
        let variables = environment.map { strdup($0) }
        defer { for string in strings + variables { free(string) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, path, &actions, nil, strings + [nil], variables + [nil])
        guard error == 0 else {
            throw AppRunsError(
                .io, "Cannot start \(path): \(String(cString: strerror(error))).",
                hint: "Build it with: swift build")
        }
        return pid
    }
}

/// How a process ended, and the resources that it used.
struct ProcessEnding: Hashable {
    enum Kind: Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    let kind: Kind
    /// Processor time of all threads.
    let cpu: Duration
    /// Peak of the resident bytes.
    let peakMemory: Int

    /// - Parameter status: the status of wait(2).
    init(status: Int32, cpu: Duration, peakMemory: Int) {
        let signal = status & 0x7F
        kind = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        self.cpu = cpu
        self.peakMemory = peakMemory
    }

    /// The ending assumed for a process that was not waited for because its parent had ended too.
    static let unknown = ProcessEnding(status: SIGKILL, cpu: .zero, peakMemory: 0)
}
