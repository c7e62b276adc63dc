import Foundation
import RunnerProtocol
import TestSupport
import Testing

@testable import AppRuns

/// Random output of compromised runners and zygotes, from a seed that is printed when a test fails.
@Suite(.blocking)
struct FuzzTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let width = isLong ? 16 : 4

    /// The resources that must be released when a session has ended.
    private struct Trace: Sendable {
        let socket: String
        weak var process: RunnerProcess?
        weak var run: AppRun?
    }

    @Test(.timeLimit(.minutes(isLong ? 30 : 10)))
    func `a runner that sends random frames is ended and leaves nothing behind`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let recorder = CallRecorder()
        var traces: [Trace] = []
        try await withThrowingTaskGroup(of: Trace.self) { group in
            for number in 0..<(Self.isLong ? 5_000 : 300) {
                if number >= Self.width, let trace = try await group.next() {
                    traces.append(trace)
                }
                group.addTask {
                    var forge = FrameForge(seed: seed &+ UInt64(number))
                    return try await Self.session(forge.session(), recorder)
                }
            }
            for try await trace in group { traces.append(trace) }
        }
        #expect(recorder.faults == [], "seed \(seed)")
        #expect(recorder.open == 0, "seed \(seed)")
        #expect(recorder.count > 0, "seed \(seed)")
        // A thread may still be about to release the last reference.
        try await until(otherwise: { "seed \(seed)" }) {
            traces.allSatisfy { $0.process == nil && $0.run == nil }
        }
        let open = try Self.openFiles()
        #expect(traces.filter { open.contains($0.socket) }.isEmpty, "seed \(seed)")
        try await Self.untilNoDescriptorIsKept(seed)
    }

    /// Waits until the process has none of the descriptors that runners send, which are open for a moment.
    private static func untilNoDescriptorIsKept(_ seed: UInt64) async throws {
        try await until(otherwise: { "seed \(seed)" }) { try !openFiles().contains("/dev/full") }
    }

    private static func session(
        _ spelled: String, _ recorder: CallRecorder
    ) async throws -> Trace {
        var configuration = RunConfiguration(
            app: "demo", token: "secret", scripts: [RunScript(name: "app.js", source: spelled)])
        configuration.budget.turn = .milliseconds(500)
        configuration.pingTimeLimit = .milliseconds(500)
        let process = try await RunnerProcess.startUnconfined(path: ForgedProgram.path)
        let descriptor = try process.connection()
        let socket = try FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(descriptor)")
        close(descriptor)
        let run = AppRun(configuration, process: process, connection: recorder) { _ in }
        let (outcome, _) = await run.run()
        switch outcome {
        case .finished, .protocolViolation, .unresponsive, .exceeded: break
        default: Issue.record("it ended as \(outcome): \(spelled.prefix(400))")
        }
        #expect(!process.isAlive)
        return Trace(socket: socket, process: process, run: run)
    }

    @Test(.timeLimit(.minutes(isLong ? 15 : 10)))
    func `a zygote that sends random packets creates no runner and leaves nothing behind`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        let folder = try TemporaryFolder()
        for number in 0..<(Self.isLong ? 2_000 : 60) {
            var forge = FrameForge(seed: seed &+ UInt64(number))
            let path = try ForgedProgram.zygote(
                in: folder, named: "zygote-\(number)", packets: Self.packets(&forge))
            let timeLimit = Duration.milliseconds(300)
            guard let zygote = try? await Zygote.start(path: path, timeLimit: timeLimit) else {
                continue
            }
            let runners = await withTaskGroup(of: RunnerProcess?.self) { group in
                for _ in 0..<3 { group.addTask { try? await zygote.makeRunner(RunBudget()) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            await zygote.end()
            for runner in runners.compactMap({ $0 }) {
                for await _ in runner.endings {}
            }
        }
        try await Self.untilNoDescriptorIsKept(seed)
    }

    private static func packets(_ forge: inout FrameForge) -> String {
        var lines: [String] = []
        if !forge.chance(6) {
            lines.append(forge.spelled(ZygoteReport.ready(layers: ["forged"]).encoded()))
        }
        for _ in 0..<6 {
            let marks = (forge.chance(2) ? "W" : "") + (forge.chance(3) ? "P" : "")
            let bytes =
                forge.chance(8) ? [1] + forge.noise() : forge.mutated(forge.report().encoded())
            lines.append(marks + forge.spelled(bytes.isEmpty ? [0] : bytes))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `a decoded frame equals the encoded one, regardless of earlier bytes`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var forge = FrameForge(seed: seed)
        for _ in 0..<(Self.isLong ? 100_000 : 20_000) {
            let bytes =
                forge.chance(3) ? forge.noise() : forge.mutated(forge.frame().encoded())
            var reader = FrameReader<RunnerFrame>()
            reader.append(bytes)
            guard let frame = try? reader.next() else { continue }
            let again = frame.encoded()
            #expect(again == Array(bytes.prefix(again.count)), "seed \(seed)")
        }
    }

    @Test func `a packet contains exactly one frame`() {
        let seed = UInt64.random(in: .min ... .max)
        var forge = FrameForge(seed: seed)
        for _ in 0..<(Self.isLong ? 100_000 : 20_000) {
            let report = forge.mutated(forge.report().encoded())
            if let read = try? ZygoteReport(packet: report) {
                #expect(read.encoded() == report, "seed \(seed)")
            }
            let order = forge.mutated(forge.order().encoded())
            if let read = try? ZygoteRequest(packet: order) {
                #expect(read.encoded() == order, "seed \(seed)")
            }
        }
    }

    private static func openFiles() throws -> Set<String> {
        let folder = "/proc/self/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Set(
            names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            })
    }
}
