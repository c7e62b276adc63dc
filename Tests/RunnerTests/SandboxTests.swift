import Glibc
import Testing

/// The layers themselves, each tried by a process that has taken them on.
struct SandboxTests {
    @Test(arguments: [
        "open", "stat", "socket", "connect", "recvmsg", "execve", "fork", "unshare", "ptrace",
        "process_vm_readv", "kill", "tgkill", "io_uring", "memfd", "keyctl", "bpf", "perf",
        "userfaultfd", "prlimit", "dumpable", "ioctl", "dup", "personality", "mmap-exec",
        "mprotect-exec", "other-interface", "other-architecture", "unknown",
    ])
    func `an attempt to leave the sandbox is fatal`(attempt: String) throws {
        #expect(try end(of: attempt) == .signal(SIGSYS))
    }

    @Test(arguments: [
        ("nothing", 0), ("name", 0), ("thread", 0), ("clone3", ENOSYS), ("grow", ENOMEM),
    ])
    func `what the engine needs goes on`(attempt: String, code: Int32) throws {
        #expect(try end(of: attempt) == .exit(code))
    }

    @Test(arguments: [
        ("read-file", EACCES), ("write-file", EACCES), ("write-random", EACCES),
        ("list-root", EACCES), ("read-random", 0), ("connect-tcp", EACCES),
        ("signal-parent", EPERM),
    ])
    func `landlock alone refuses files, network and signals`(
        attempt: String, code: Int32
    ) throws {
        #expect(try end(of: attempt) == .exit(code))
    }

    private func end(of attempt: String) throws -> RunnerProcess.End {
        try RunnerProcess("sandbox-probe", arguments: [attempt]).end()
    }
}
