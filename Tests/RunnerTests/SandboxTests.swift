import Glibc
import TestSupport
import Testing

/// The layers, each tested in a process with that layer only.
@Suite(.blocking)
struct SandboxTests {
    @Test(arguments: [
        ("nothing", 0), ("name", 0), ("thread", 0), ("clone3", ENOSYS), ("grow", ENOMEM),
        ("affinity", 0), ("clock", 0), ("forget", 0), ("wake", 0),
    ])
    func `the operations that the engine needs work`(attempt: String, code: Int32) throws {
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
