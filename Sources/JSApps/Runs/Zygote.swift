import CProcess
import Foundation
import Glibc
import RunnerProtocol

/// The process from which runners are forked, and the host's end of the socket that it takes orders
/// from.
///
/// Starting a program, loading its libraries and resolving their symbols is done once; what was
/// touched doing so is shared by all runners.
actor Zygote {
    /// What confines it and each runner from the beginning.
    nonisolated let layers: [String]

    /// Its number.
    nonisolated var pid: pid_t { process.pid }

    private let process: ChildProcess
    private let socket: Descriptor
    private let patience: Duration
    private var last: UInt32 = 0
    private var orders: [UInt32: CheckedContinuation<(pid_t, Descriptor), any Error>] = [:]
    private var runners: [UInt32: AsyncStream<ProcessEnding>.Continuation] = [:]
    private var isGone = false
    private var isRetired = false

    private typealias Arrival = (report: ZygoteReport, handle: Descriptor?)

    /// - Throws: `io` when the program cannot be started, `confinement` when the kernel lacks a layer.
    ///
    /// - Parameters:
    ///   - probe: a way out of the sandbox that its runners are to try in place of an app.
    ///   - patience: how long it may leave an order unanswered.
    static func start(
        path: String, probe: String? = nil, patience: Duration = .seconds(30)
    ) async throws(JSAppsError) -> Zygote {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .io("Could not make a socket for the runners", .last("socketpair"))
        }
        var pipes: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&pipes)
        guard failure == 0 else {
            let error = SystemError(call: "pipe", number: failure)
            ends.forEach { close($0) }
            throw .io("Could not make a pipe for the runners", error)
        }
        let (socket, output) = (Descriptor(ends[0]), Descriptor(pipes[0]))
        // What it has to say stands there before its end is seen; there is no waiting for more.
        _ = fcntl(output.number, F_SETFL, O_NONBLOCK)
        let process = try await ChildProcess.start(
            path, ["--zygote"] + (probe.map { ["--probe", $0] } ?? []),
            descriptors: [pipes[1], fcntl(pipes[1], F_DUPFD_CLOEXEC, 0), ends[1]])
        let (arrivals, arrived) = AsyncStream.makeStream(of: Arrival.self)
        Thread.detachNewThread {
            while let arrival = receive(socket.number) { arrived.yield(arrival) }
            arrived.finish()
        }
        let impatience = Task {
            if (try? await Task.sleep(for: patience, clock: .suspending)) != nil { process.kill() }
        }
        defer { impatience.cancel() }
        var iterator = arrivals.makeAsyncIterator()
        guard case .ready(let layers)? = await iterator.next()?.report else {
            process.kill()
            shutdown(socket.number, Int32(SHUT_RDWR))
            throw .confinement(String(decoding: Self.rest(of: output.number), as: UTF8.self))
        }
        let zygote = Zygote(process, socket: socket, layers: layers, patience: patience)
        Task { await zygote.take(arrivals) }
        return zygote
    }

    private init(
        _ process: ChildProcess, socket: Descriptor, layers: [String], patience: Duration
    ) {
        self.process = process
        self.patience = patience
        self.socket = socket
        self.layers = layers
    }

    deinit { process.kill() }

    /// Whether more runners can be made.
    var takesOrders: Bool { !isGone && !isRetired }

    /// Makes a runner.
    func makeRunner(_ limits: RunBudget) async throws(JSAppsError) -> RunnerProcess {
        guard takesOrders else { throw .io("Could not start a runner", Self.gone) }
        let channels = try RunnerProcess.Channels()
        defer { channels.closeRunnerEnds() }
        last &+= 1
        let id = last
        let (endings, ended) = AsyncStream.makeStream(of: ProcessEnding.self)
        runners[id] = ended
        let impatience = Task {
            if (try? await Task.sleep(for: patience, clock: .suspending)) != nil { end() }
        }
        defer { impatience.cancel() }
        do {
            let (pid, handle) = try await order(id, limits, channels)
            return RunnerProcess(pid: pid, handle: handle, channels: channels, endings: endings)
        } catch {
            runners[id] = nil
            channels.closeHostEnds()
            throw error as? JSAppsError
                ?? .io("Could not start a runner", error as? SystemError ?? Self.gone)
        }
    }

    private static let gone = SystemError(call: "fork", number: ESRCH)

    /// Ends it when its last runner has ended; to be asked for no more.
    func retire() {
        isRetired = true
        if runners.isEmpty { end() }
    }

    /// Ends it and all its runners.
    func end() {
        // They are ended by the kernel as soon as it is.
        process.kill()
        shutdown(socket.number, Int32(SHUT_RDWR))
    }

    private func order(
        _ id: UInt32, _ limits: RunBudget, _ channels: RunnerProcess.Channels
    ) async throws -> (pid_t, Descriptor) {
        let order = ZygoteOrder.start(
            id: id, cpu: UInt32(clamping: limits.cpu.components.seconds),
            memory: UInt64(max(0, limits.memory)))
        return try await withCheckedThrowingContinuation { continuation in
            guard !isGone else { return continuation.resume(throwing: Self.gone) }
            orders[id] = continuation
            let packet = order.encoded()
            let descriptors = [channels.socket.runner, channels.output.runner]
            guard nervous_packet_send(socket.number, packet, packet.count, descriptors, 2) >= 0
            else {
                let error = SystemError.last("sendmsg")
                orders.removeValue(forKey: id)?.resume(throwing: error)
                return
            }
        }
    }

    private func take(_ arrivals: AsyncStream<Arrival>) async {
        for await (report, handle) in arrivals { take(report, handle) }
        isGone = true
        // It may have said what it does not say, and live on.
        end()
        for order in orders.values { order.resume(throwing: Self.gone) }
        orders = [:]
        for runner in runners.values {
            runner.yield(.unknown)
            runner.finish()
        }
        runners = [:]
    }

    private func take(_ report: ZygoteReport, _ handle: Descriptor?) {
        switch report {
        case .started(let id, let process):
            let order = orders.removeValue(forKey: id)
            guard let handle, let number = pid_t(exactly: process), number > 0 else {
                order?.resume(throwing: Self.gone)
                return
            }
            order?.resume(returning: (number, handle))
        case .failed(let id, let error):
            orders.removeValue(forKey: id)?.resume(
                throwing: SystemError(call: "fork", number: Int32(clamping: error)))
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

    /// The next report, for which it blocks; `nil` when the process is gone.
    private static func receive(_ socket: Int32) -> Arrival? {
        var packet = [UInt8](repeating: 0, count: 4096)
        var handle: Int32 = -1
        var count = 1
        let size = nervous_packet_receive(socket, &packet, packet.count, &handle, &count)
        let came = count > 0 ? Descriptor(handle) : nil
        guard size > 0, let report = try? ZygoteReport(packet: packet.prefix(size)) else {
            return nil
        }
        return (report, came)
    }

    private static func rest(of descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
    }
}

extension JSAppsError {
    /// The kernel lacks what confines an app.
    static func confinement(_ complaint: String) -> JSAppsError {
        let words = complaint.split(separator: "\n").first.map(String.init) ?? ""
        let reason = words.replacingOccurrences(of: "nervous-runner: ", with: "")
        return JSAppsError(
            .confinement,
            "Apps cannot be confined here: \(reason.isEmpty ? "the runner ended at once" : reason).",
            hint: "‘nervous doctor’ looks at each layer.")
    }
}
