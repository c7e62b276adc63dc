import CEscapeProbes
import Glibc
import RunnerProtocol
import TestSupport
import Testing

/// Every known escape from the sandbox, each attempted by a confined runner.
@Suite(.blocking)
struct EscapeTests {
    struct Probe: CustomTestStringConvertible {
        let name: String
        let family: String
        let answer: Int32

        var testDescription: String { name }
    }

    private static let probes = (0..<nervous_probe_count()).map { index in
        Probe(
            name: String(cString: nervous_probe_name(index)),
            family: String(cString: nervous_probe_family(index)),
            answer: nervous_probe_answer(index))
    }

    @Test(arguments: probes)
    func `an escape is blocked by the kernel with the expected result`(
        probe: Probe
    ) throws {
        let runner = try RunnerProcess(arguments: ["--probe", probe.name])
        guard case .ready(let layers) = try runner.next() else {
            Issue.record("not ready")
            return
        }
        #expect(layers.contains("seccomp"))
        let rest = try runner.rest()
        if probe.answer == 0 {
            #expect(rest == [])
            #expect(try runner.end() == .signal(SIGSYS))
        } else {
            #expect(rest == [.finished(code: UInt8(probe.answer))])
            #expect(try runner.end() == .exit(probe.answer))
        }
    }

    @Test func `the table covers all families without duplicates`() {
        #expect(Self.probes.count >= 100)
        #expect(Set(Self.probes.map(\.name)).count == Self.probes.count)
        #expect(
            Set(Self.probes.map(\.family)) == [
                "files", "network", "processes", "memory", "kernel", "interface",
            ])
        // An errno is the exception, for calls that programs may make in vain.
        #expect(
            Self.probes.filter { $0.answer != 0 }.map(\.name) == ["clone3", "affinity-of-others"])
    }

    @Test func `the runner lists the same escape probes`() throws {
        let process = try RunnerOutput(arguments: ["--probes"])
        #expect(
            process.lines == Self.probes.map { "\($0.name)\t\($0.family)\t\($0.answer)" })
    }

    @Test func `an unknown probe is a usage error`() throws {
        let runner = try RunnerProcess(arguments: ["--probe", "none"])
        #expect(try runner.rest() == [])
        #expect(try runner.end() == .exit(64))
    }
}
