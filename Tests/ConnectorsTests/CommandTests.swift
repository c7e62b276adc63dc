import Foundation
import Glibc
import Ingest
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

struct CommandTests {
    /// Makes a sample of each line, whatever its text.
    static var maker: SampleMaker {
        get throws {
            try SampleMaker(
                format: .plain, names: ["v"], rules: [FieldRule(Field("v", kind: .text))])
        }
    }

    private static func source(
        _ words: [String], every interval: Duration? = .milliseconds(10),
        timeout: Duration? = nil, maker: SampleMaker? = nil
    ) throws -> SupervisedSource {
        let connector = CommandConnector(
            words, every: interval, timeout: timeout, grace: .milliseconds(200))
        return SupervisedSource(
            connector, maker: try maker ?? self.maker, highestRate: 1e6,
            time: ScriptedTime(
                clock: { ConnectorKindTests.now },
                wait: { _ in try await Task.sleep(for: .milliseconds(5)) }))
    }

    /// The first texts of a program.
    private static func texts(_ count: Int, of source: SupervisedSource) async throws -> [String] {
        var texts: [String] = []
        for try await sample in source.samples() {
            if case .text(let text) = sample.values[0] { texts.append(text) }
            if texts.count == count { break }
        }
        return texts
    }

    private static func reachEnd(of marker: String) async throws {
        try await until(otherwise: { "\(marker) still runs" }) {
            PipeDevice.processes(naming: marker) == 0
        }
    }

    /// A unique number of seconds to sleep, which identifies a process.
    private static func marker() -> String { "\(Int.random(in: 100_000_000...999_999_999))" }

    @Test func `a program runs periodically, and its lines are samples`() async throws {
        let maker = try SampleMaker(
            format: .pattern(#"0 (\S+) C (\S+) %"#), names: ["1", "2"],
            rules: [
                FieldRule(Field("temperature", unit: "Cel")),
                FieldRule(Field("humidity", unit: "%")),
            ])
        let source = try Self.source(["echo", "0 28.2 C 41.5 %"], maker: maker)
        var count = 0
        for try await sample in source.samples() {
            #expect(sample.values == [.number(28.2), .number(41.5)])
            count += 1
            if count == 3 { break }
        }
        #expect(source.report?.connections == 1)
    }

    @Test func `a program runs at intervals or continuously`() async throws {
        let asked = try Self.source(["/bin/sh", "-c", "echo $$"])
        #expect(Set(try await Self.texts(3, of: asked)).count == 3)
        let sending = try Self.source(
            ["/bin/sh", "-c", "for n in 1 2 3; do echo $$; done; exec sleep 1000"], every: nil)
        #expect(Set(try await Self.texts(3, of: sending)).count == 1)
    }

    @Test func `arguments reach a program unchanged, without a shell`() async throws {
        let source = try Self.source(["printf", "%s\n", "$HOME; a  'b' *", ""])
        #expect(try await Self.texts(1, of: source) == ["$HOME; a  'b' *"])
    }

    @Test func `a program gets three variables, an empty input and no inherited descriptors`()
        async throws
    {
        let variables = try Self.source(["env"])
        let names = try await Self.texts(3, of: variables).map { $0.prefix { $0 != "=" } }
        #expect(names.sorted() == ["HOME", "LANG", "PATH"])
        let input = try Self.source(["sh", "-c", "cat; echo end of input"])
        #expect(try await Self.texts(1, of: input) == ["end of input"])
        // The fourth descriptor is that of the listed folder itself.
        let files = try Self.source(["ls", "/proc/self/fd"])
        let listed = try await Self.texts(5, of: files)
        #expect(listed == ["0", "1", "2", "3", "0"])
    }

    @Test
    func `the last line needs no line end, and is dropped if the program fails`()
        async throws
    {
        let source = try Self.source(["printf", "one\ntwo"])
        #expect(try await Self.texts(3, of: source) == ["one", "two", "one"])
        let failing = try Self.source(["sh", "-c", "printf 'one\ntwo'; exit 1"])
        #expect(try await Self.texts(3, of: failing) == ["one", "one", "one"])
    }

    @Test(
        arguments: [
            (["no-such-program-here"], "no-such-program-here is not installed"),
            (["/no/such/program"], "/no/such/program does not exist or is not executable."),
            (["/etc/passwd"], "/etc/passwd does not exist or is not executable."),
            (["sh", "-c", "exit 3"], "failed with exit code 3."),
            (
                ["sh", "-c", "echo one >&2; echo 'no sensor.' >&2; exit 3"],
                "failed with exit code 3: no sensor."
            ),
            (
                ["sh", "-c", "printf '\\033[31mred\\n' >&2; exit 1"],
                "failed with exit code 1: \\u{1b}[31mred."
            ),
            (["sh", "-c", "kill -SEGV $$"], "was terminated by signal 11."),
        ])
    func `a failed program is reported with the last line of its errors`(
        words: [String], text: String
    ) async throws {
        let source = try Self.source(words)
        let samples = source.samples()
        let report = try await ConnectorKindTests.reach(source, "the fault") { $0.problem != nil }
        #expect(report.problem?.contains(text) == true, "\(report.problem ?? "")")
        #expect(report.link == .disconnected)
        #expect(report.connections == 0)
        withExtendedLifetime(samples) {}
    }

    @Test(arguments: ["sleep N & sleep N", "trap '' TERM; sleep N & while :; do sleep N; done"])
    func `a program that hangs is terminated with its child processes`(script: String)
        async throws
    {
        let marker = Self.marker()
        let script = script.replacing("N", with: marker)
        let source = try Self.source(
            ["sh", "-c", script], every: .seconds(1000), timeout: .milliseconds(100))
        let samples = source.samples()
        let report = try await ConnectorKindTests.reach(source, "the end") { $0.problem != nil }
        #expect(report.problem?.hasSuffix("timed out and was terminated.") == true)
        try await Self.reachEnd(of: marker)
        withExtendedLifetime(samples) {}
    }

    @Test func `child processes that a program leaves running are terminated`() async throws {
        let marker = Self.marker()
        let source = try Self.source(
            ["sh", "-c", "sleep \(marker) & echo begun"], every: .seconds(1000))
        let samples = source.samples()
        try await ConnectorKindTests.reach(source, "its line") { $0.accepted == 1 }
        try await Self.reachEnd(of: marker)
        withExtendedLifetime(samples) {}
    }

    @Test func `a cancelled program is terminated with its child processes`()
        async throws
    {
        let marker = Self.marker()
        let script = "trap '' TERM; echo begun; sleep \(marker) & while :; do sleep \(marker); done"
        let source = try Self.source(["sh", "-c", script], every: nil)
        #expect(try await Self.texts(1, of: source) == ["begun"])
        try await Self.reachEnd(of: marker)
    }

    @Test func `a program with too much output uses bounded memory and continues`() async throws {
        let source = try Self.source(["yes", String(repeating: "x", count: 100)], every: nil)
        let samples = source.samples()
        try await ConnectorKindTests.reach(source, "a flood") { $0.received > 100_000 }
        let report = try #require(source.report)
        // A sample on its way to the full buffer counts as accepted until the buffer has refused it.
        #expect((4096...4097).contains(report.accepted))
        #expect(report.dropped.excess >= 100_000 - 4097)
        let errors = try Self.source(["sh", "-c", "yes >&2 & sleep 0.3; echo done"])
        #expect(try await Self.texts(1, of: errors) == ["done"])
        withExtendedLifetime(samples) {}
    }

    @Test func `a continuous program without output is restarted`()
        async throws
    {
        let source = try Self.source(
            ["sh", "-c", "echo begun; exec sleep 1000"], every: nil, timeout: .milliseconds(100))
        #expect(try await Self.texts(3, of: source) == ["begun", "begun", "begun"])
    }

    @Test func `lines that do not match cause a warning until one matches`() async throws {
        let maker = try SampleMaker(
            format: .plain, names: ["v"], rules: [FieldRule(Field("v"))])
        let script = "test $(( $(date +%s%N) / 100000000 % 2 )) = 1 && echo 1 || echo one"
        let source = try Self.source(["sh", "-c", script], maker: maker)
        let samples = source.samples()
        for _ in 0..<2 {
            try await ConnectorKindTests.reach(source, "the warning") { $0.problem != nil }
            try await ConnectorKindTests.reach(source, "the end of the warning") {
                $0.connections > 0 && $0.problem == nil
            }
        }
        #expect(source.report?.connections == 1)
        #expect((source.report?.dropped.malformed ?? 0) > 0)
        withExtendedLifetime(samples) {}
    }
}
