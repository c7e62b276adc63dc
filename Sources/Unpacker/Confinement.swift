import Archive
import CSandbox
import Glibc

/// Gives up everything but three descriptors, memory and time.
enum Confinement {
    /// Inflating what a package may hold takes a fraction of it.
    private static let processorSeconds: UInt32 = 10
    /// What libarchive, the runtime and a piece of a file need beside the archive.
    private static let workingMemory = 32 << 20

    static func apply(_ limits: ArchiveLimits) throws(MissingLayer) {
        try require("process isolation", nervous_sandbox_own_process(getppid()))
        try require("descriptor isolation", nervous_sandbox_close_from(3))
        try require("resource limits", nervous_sandbox_limit_resources())
        try require("time limit", nervous_sandbox_limit_processor(processorSeconds))
        // The archive is there twice, and grows in steps while it is read.
        let memory = UInt64(4 * limits.archiveBytes + workingMemory)
        try require("memory limit", nervous_sandbox_limit_growth(memory))
        try require("no_new_privs", nervous_sandbox_no_new_privileges())
        try require("no capabilities", nervous_sandbox_no_capabilities())
        // Only kernels since 6.3 have it; the filter of system calls says the same.
        _ = nervous_sandbox_no_executable_memory()
        var version: Int32 = 0
        try require("landlock", nervous_sandbox_landlock(nil, 0, &version))
        try require("seccomp", nervous_sandbox_syscalls())
    }

    private static func require(_ layer: String, _ failure: Int32) throws(MissingLayer) {
        guard failure == 0 else { throw MissingLayer(layer: layer, code: failure) }
    }
}
