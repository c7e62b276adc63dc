import CProcess
import CSandbox
import CThreads
import Glibc

/// Applies the layers of the sandbox.
///
/// The engine reads files while it starts, so access to files is restricted in two steps: first to
/// the files that it reads then, and later completely, together with the system calls.
struct Confinement {
    /// The layers applied, for display.
    private(set) var layers: [String] = []
    private let isOn: Bool

    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Applies what every kernel supports, even if the sandbox is off.
    mutating func prepareProcess() throws(LaunchError) {
        let parent = getppid()
        try require("process isolation", nervous_sandbox_own_process(parent))
        try require("descriptor isolation", nervous_sandbox_close_from(4))
        // Optional: without them, limits of the host keep other programs running.
        _ = nervous_sandbox_yield_processor()
        _ = nervous_sandbox_end_first()
        guard isOn else { return }
        layers.append("process")
        try require("resource limits", nervous_sandbox_limit_resources())
        layers.append("limits")
    }

    /// Restricts access to the files that the engine reads while it starts.
    ///
    /// - Parameter process: the folder of the process in `/proc`; a forked process has another one.
    mutating func restrictForStart(process: String = "/proc/self") throws(LaunchError) {
        guard isOn else { return }
        try require("no_new_privs", nervous_sandbox_no_new_privileges())
        layers.append("no_new_privs")
        try require("no capabilities", nervous_sandbox_no_capabilities())
        layers.append("capabilities")
        // Optional, since Linux 6.3; the system call filter enforces the same.
        if nervous_sandbox_no_executable_memory() == 0 { layers.append("mdwe") }
        if nervous_sandbox_no_speculation() == 0 { layers.append("speculation") }
        let readable = [
            "/dev/urandom", process, "/sys/devices/system/cpu", "/usr/share/zoneinfo",
        ]
        let abi = try landlock(readable)
        layers.append("landlock \(abi)")
    }

    /// Separates a forked runner from the zygote, with its own descriptors only.
    func separate(from parent: pid_t, socket: Int32, output: Int32) throws(LaunchError) {
        guard dup2(output, 1) == 1, dup2(output, 2) == 2, dup2(socket, 3) == 3 else {
            throw .missing(layer: "descriptor isolation", code: errno)
        }
        try require("descriptor isolation", nervous_process_own_descriptors(4))
        try require("process isolation", nervous_sandbox_own_fork(parent))
    }

    /// Restricts the process to its open descriptors, memory and processor time.
    mutating func restrictForRun(_ limits: ProcessLimits) throws(LaunchError) {
        guard isOn else { return }
        if nervous_sandbox_own_core() == 0 { layers.append("core") }
        try require("processor limit", nervous_sandbox_limit_processor(limits.cpu))
        try require("memory limit", nervous_sandbox_limit_growth(limits.memory))
        layers.append("memory")
        _ = try landlock([])
        try require("seccomp", nervous_sandbox_syscalls())
        layers.append("seccomp")
        // They are restricted like the thread that starts them.
        try require("threads", nervous_threads_release())
    }

    private func landlock(_ readable: [String]) throws(LaunchError) -> Int32 {
        let paths = readable.map { strdup($0) }
        defer { for path in paths { free(path) } }
        var abi: Int32 = 0
        let failure = paths.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            nervous_sandbox_landlock($0.baseAddress, $0.count, &abi)
        }
        try require("landlock", failure)
        return abi
    }

    private func require(_ layer: String, _ failure: Int32) throws(LaunchError) {
        guard failure == 0 else { throw .missing(layer: layer, code: failure) }
    }
}
