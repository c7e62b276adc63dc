import CProcess
import Foundation
import Glibc

/// A program of ours that runs until it ends or this process does.
final class ChildProcess: Sendable {
    let pid: pid_t
    /// Stands for it also after its number was given to another process.
    let handle: Descriptor
    /// Comes once, when it has ended.
    let endings: AsyncStream<ProcessEnding>

    /// Starts a program with `/dev/null` as 0 and the given descriptors from 1 on.
    ///
    /// Its environment is empty. The descriptors are closed here.
    ///
    /// - Throws: `io` when it cannot be started.
    static func start(
        _ path: String, _ arguments: [String], descriptors: [Int32]
    ) async throws(JSAppsError) -> ChildProcess {
        let (endings, ended) = AsyncStream.makeStream(of: ProcessEnding.self)
        let started = await withCheckedContinuation { continuation in
            // The kernel ends the program with the thread that started it, so this one stays.
            Thread.detachNewThread {
                let result = Result { () throws(JSAppsError) in
                    let pid = try spawn(path, arguments, descriptors)
                    // Until it is waited for, its number is nobody else's.
                    let handle = Descriptor(nervous_process_open(pid))
                    guard handle.number >= 0 else {
                        let error = SystemError.last("pidfd_open")
                        Glibc.kill(pid, SIGKILL)
                        _ = wait(for: pid)
                        throw .io("Could not start \(path)", error)
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
        _ path: String, _ arguments: [String], _ descriptors: [Int32]
    ) throws(JSAppsError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        // Past those it gets, so that no action overwrites what a later one needs.
        let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 16) }
        defer { for source in sources { close(source) } }
        guard sources.allSatisfy({ $0 >= 0 }) else {
            throw .io("Could not start \(path)", .last("fcntl"))
        }
        for (index, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(index + 1))
        }
        let strings = ([path] + arguments).map { strdup($0) }
        defer { for string in strings { free(string) } }
        var pid: pid_t = 0
        let environment: [UnsafeMutablePointer<CChar>?] = [nil]
        let error = posix_spawn(&pid, path, &actions, nil, strings + [nil], environment)
        guard error == 0 else {
            throw JSAppsError(
                .io, "Cannot start \(path): \(String(cString: strerror(error))).",
                hint: "Build it with: swift build")
        }
        return pid
    }
}
