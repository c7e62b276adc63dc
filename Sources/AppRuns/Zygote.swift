import CProcess
import Foundation
import Glibc
import RunnerProtocol

/// The process from which runners are forked, and the host's end of its socket.
///
/// It starts once, with its engine and the libraries that are provided; all runners share the memory that
/// contains them.
actor Zygote {
    /// The layers that confine it and each runner from the start.
    nonisolated let layers: [String]

    /// The process number.
    nonisolated var pid: pid_t { process.pid }

    private let process: ChildProcess
    private let socket: Descriptor
    private let timeLimit: Duration
    private var last: UInt32 = 0
    private var requests: [UInt32: CheckedContinuation<(pid_t, Descriptor), any Error>] = [:]
    private var runners: [UInt32: AsyncStream<ProcessEnding>.Continuation] = [:]
    private var hasEnded = false
    private var isRetired = false

    private typealias Arrival = (report: ZygoteReport, handle: Descriptor?)

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - zone: the time zone of its runners.
    ///   - probe: an escape attempt that its runners make in place of an app.
    ///   - timeLimit: how long it may leave a request unanswered.
    /// - Throws: `io` if the program cannot be started, `confinement` if the kernel lacks a layer.
    static func start(
        path: String, zone: AppTimeZone = .system, probe: String? = nil,
        timeLimit: Duration = .seconds(30)
    ) async throws(AppRunsError) -> Zygote {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .io("Could not create a socket for the runners")
        }
        var pipes: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&pipes)
        guard failure == 0 else {
            ends.forEach { close($0) }
            throw .io("Could not create a pipe for the runners", failure)
        }
        let (socket, output) = (Descriptor(ends[0]), Descriptor(pipes[0]))
        // The output is read after the program has ended; reading must not wait for more.
        _ = fcntl(output.number, F_SETFL, O_NONBLOCK)
        let process = try await ChildProcess.start(
            path, ["--zygote"] + (probe.map { ["--probe", $0] } ?? []),
            environment: zone.environment,
            descriptors: [pipes[1], fcntl(pipes[1], F_DUPFD_CLOEXEC, 0), ends[1]])
        let (arrivals, arrived) = AsyncStream.makeStream(of: Arrival.self)
        Thread.detachNewThread {
            while let arrival = nextReport(from: socket.number) { arrived.yield(arrival) }
            arrived.finish()
        }
        let timeout = Task {
            if (try? await Task.sleep(for: timeLimit, clock: .suspending)) != nil { process.kill() }
        }
        defer { timeout.cancel() }
        var iterator = arrivals.makeAsyncIterator()
        guard case .ready(let layers)? = await iterator.next()?.report else {
            process.kill()
            shutdown(socket.number, Int32(SHUT_RDWR))
            throw .confinement(String(decoding: Self.rest(of: output.number), as: UTF8.self))
        }
        let zygote = Zygote(process, socket: socket, layers: layers, timeLimit: timeLimit)
        Task { await zygote.receive(arrivals) }
        return zygote
    }

    private init(
        _ process: ChildProcess, socket: Descriptor, layers: [String], timeLimit: Duration
    ) {
        self.process = process
        self.timeLimit = timeLimit
        self.socket = socket
        self.layers = layers
    }

    deinit { process.kill() }

    /// Whether it can fork more runners.
    var acceptsRequests: Bool { !hasEnded && !isRetired }

    /// Forks a runner.
    func makeRunner(_ limits: RunBudget) async throws(AppRunsError) -> RunnerProcess {
        guard acceptsRequests else { throw Self.ended }
        let channels = try RunnerProcess.Channels()
        defer { channels.closeRunnerEnds() }
        last &+= 1
        let id = last
        let (endings, ended) = AsyncStream.makeStream(of: ProcessEnding.self)
        runners[id] = ended
        let timeout = Task {
            if (try? await Task.sleep(for: timeLimit, clock: .suspending)) != nil { end() }
        }
        defer { timeout.cancel() }
        do {
            let (pid, handle) = try await request(id, limits, channels)
            return RunnerProcess(pid: pid, handle: handle, channels: channels, endings: endings)
        } catch {
            runners[id] = nil
            channels.closeHostEnds()
            throw error as? AppRunsError ?? Self.ended
        }
    }

    /// Loads libraries for all runners that are forked later.
    ///
    /// One that fails is loaded by each runner that needs it, as if it had not been provided.
    func provide(_ libraries: RunLibraries) {
        for library in RunLibraries.shareable {
            if let source = libraries[library] { provide(.library(library), source) }
        }
    }

    /// Evaluates scripts for all runners that are forked later; one that fails, each runner evaluates.
    func provide(_ scripts: [RunScript]) {
        for script in scripts { provide(.script(name: script.name), Array(script.source.utf8)) }
    }

    private func provide(_ request: ZygoteRequest, _ source: [UInt8]) {
        let content = nervous_process_content(source, source.count)
        guard content >= 0 else { return }
        defer { close(content) }
        let packet = request.encoded()
        _ = nervous_packet_send(socket.number, packet, packet.count, [content], 1)
    }

    private static let ended = AppRunsError.io("Could not start a runner", ESRCH)

    /// Makes no more runners, and ends when the last runner has ended.
    func retire() {
        isRetired = true
        if runners.isEmpty { end() }
    }

    /// Kills it and all its runners.
    func end() {
        // The kernel kills the runners together with it.
        process.kill()
        shutdown(socket.number, Int32(SHUT_RDWR))
    }

    private func request(
        _ id: UInt32, _ limits: RunBudget, _ channels: RunnerProcess.Channels
    ) async throws -> (pid_t, Descriptor) {
        let request = ZygoteRequest.start(
            id: id, cpu: UInt32(clamping: limits.cpu.components.seconds),
            memory: UInt64(max(0, limits.memory)))
        return try await withCheckedThrowingContinuation { continuation in
            guard !hasEnded else { return continuation.resume(throwing: Self.ended) }
            requests[id] = continuation
            let packet = request.encoded()
            let descriptors = [channels.socket.runner, channels.output.runner]
            guard nervous_packet_send(socket.number, packet, packet.count, descriptors, 2) >= 0
            else {
                let error = AppRunsError.io("Could not start a runner")
                requests.removeValue(forKey: id)?.resume(throwing: error)
                return
            }
        }
    }

    private func receive(_ arrivals: AsyncStream<Arrival>) async {
        for await (report, handle) in arrivals { receive(report, handle) }
        hasEnded = true
        // It may still be alive after sending an invalid report.
        end()
        for request in requests.values { request.resume(throwing: Self.ended) }
        requests = [:]
        for runner in runners.values {
            runner.yield(.unknown)
            runner.finish()
        }
        runners = [:]
    }

    private func receive(_ report: ZygoteReport, _ handle: Descriptor?) {
        switch report {
        case .started(let id, let process):
            let request = requests.removeValue(forKey: id)
            guard let handle, let number = pid_t(exactly: process), number > 0 else {
                request?.resume(throwing: Self.ended)
                return
            }
            request?.resume(returning: (number, handle))
        case .failed(let id, let error):
            requests.removeValue(forKey: id)?.resume(
                throwing: AppRunsError.io("Could not start a runner", Int32(clamping: error)))
        case .ended(let id, let status, let cpu, let peak):
            let runner = runners.removeValue(forKey: id)
            runner?.yield(
                ProcessEnding(
                    status: Int32(bitPattern: status), cpu: .microseconds(Int64(clamping: cpu)),
                    peakMemory: Int(clamping: peak)))
            runner?.finish()
            if isRetired, runners.isEmpty { end() }
        case .ready:
            break
        }
    }

    /// Blocks until the next report; `nil` when the process has ended.
    private static func nextReport(from socket: Int32) -> Arrival? {
        var packet = [UInt8](repeating: 0, count: 4096)
        var handle: Int32 = -1
        var count = 1
        let size = nervous_packet_receive(socket, &packet, packet.count, &handle, &count)
        let received = count > 0 ? Descriptor(handle) : nil
        guard size > 0, let report = try? ZygoteReport(packet: packet.prefix(size)) else {
            return nil
        }
        return (report, received)
    }

    private static func rest(of descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
    }
}

extension AppRunsError {
    /// - Parameter output: the output of the program.
    fileprivate static func confinement(_ output: String) -> AppRunsError {
        let line = output.split(separator: "\n").first.map(String.init) ?? ""
        let reason = line.replacingOccurrences(of: "nervous-runner: ", with: "")
        return AppRunsError(
            .confinement,
            "Apps cannot be confined on this machine: \(reason.isEmpty ? "the runner exited at once" : reason).",
            hint: "Check each layer with: nervous doctor")
    }
}
