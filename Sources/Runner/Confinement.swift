import CSandbox
import Glibc

/// Which layers confine the process, and when each is applied.
///
/// The engine cannot start once nothing can be opened, so files are closed off twice: down to the
/// few that its start reads, and then entirely, together with the system calls.
struct Confinement {
    /// The layers that hold, for display.
    private(set) var layers: [String] = []
    private let isOn: Bool

    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// What needs no kernel feature beyond the oldest: done also without a sandbox.
    mutating func prepareProcess() throws(LaunchError) {
        let parent = getppid()
        try require("process isolation", nervous_sandbox_own_process(parent))
        try require("descriptor isolation", nervous_sandbox_close_from(4))
        guard isOn else { return }
        layers.append("process")
        try require("resource limits", nervous_sandbox_limit_resources())
        layers.append("limits")
    }

    /// Leaves the files that the engine reads while it starts.
    ///
    /// - Parameter process: where it finds itself; a copy of this process finds itself elsewhere in
    ///   `/proc`.
    mutating func narrowToStart(process: String = "/proc/self") throws(LaunchError) {
        guard isOn else { return }
        try require("no_new_privs", nervous_sandbox_no_new_privileges())
        layers.append("no_new_privs")
        try require("no capabilities", nervous_sandbox_no_capabilities())
        layers.append("capabilities")
        // Only kernels since 6.3 have it; the filter of system calls says the same.
        if nervous_sandbox_no_executable_memory() == 0 { layers.append("mdwe") }
        let readable = [
            "/dev/urandom", process, "/sys/devices/system/cpu", "/usr/share/zoneinfo",
        ]
        let abi = try landlock(readable)
        layers.append("landlock \(abi)")
    }

    /// Makes a forked copy a process of its own, with the descriptors of a runner and no other.
    func separate(from parent: pid_t, socket: Int32, output: Int32) throws(LaunchError) {
        guard dup2(output, 1) == 1, dup2(output, 2) == 2, dup2(socket, 3) == 3 else {
            throw .missing(layer: "descriptor isolation", code: errno)
        }
        try require("descriptor isolation", nervous_sandbox_close_from(4))
        try require("process isolation", nervous_sandbox_own_process(parent))
    }

    /// Leaves nothing but the descriptors that are open, memory and time.
    mutating func narrowToRun(_ limits: ProcessLimits) throws(LaunchError) {
        guard isOn else { return }
        try require("processor limit", nervous_sandbox_limit_processor(limits.cpu))
        try require("memory limit", nervous_sandbox_limit_growth(limits.memory))
        layers.append("memory")
        _ = try landlock([])
        try require("seccomp", nervous_sandbox_syscalls())
        layers.append("seccomp")
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
