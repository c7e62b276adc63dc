import Archive
import CSandbox
import Glibc

/// Restricts the process to three descriptors, memory and processor time.
enum Confinement {
    /// A multiple of the time that the largest package takes.
    private static let processorSeconds: UInt32 = 10
    /// Bytes for libarchive, the runtime and a piece of a file, in addition to the archive.
    private static let workingMemory = 32 << 20

    static func apply(_ limits: ArchiveLimits) throws(MissingLayer) {
        try require("process isolation", nervous_sandbox_own_process(getppid()))
        try require("descriptor isolation", nervous_sandbox_close_from(3))
        try require("resource limits", nervous_sandbox_limit_resources())
        try require("time limit", nervous_sandbox_limit_processor(processorSeconds))
        // There are two copies of the archive, and the buffer grows in steps while it is read.
        let memory = UInt64(4 * limits.archiveBytes + workingMemory)
        try require("memory limit", nervous_sandbox_limit_growth(memory))
        try require("no_new_privs", nervous_sandbox_no_new_privileges())
        try require("no capabilities", nervous_sandbox_no_capabilities())
        // May fail: the kernel has it only since Linux 6.3. The system call filter enforces the same.
        _ = nervous_sandbox_no_executable_memory()
        var version: Int32 = 0
        try require("landlock", nervous_sandbox_landlock(nil, 0, &version))
        try require("seccomp", nervous_sandbox_syscalls())
    }

    private static func require(_ layer: String, _ failure: Int32) throws(MissingLayer) {
        guard failure == 0 else { throw MissingLayer(layer: layer, code: failure) }
    }
}

/// A layer of the sandbox that the kernel does not provide, and the `errno`.
struct MissingLayer: Error {
    let layer: String
    let code: Int32
}
