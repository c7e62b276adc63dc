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

    private let socket: Int32
    private var last: UInt32 = 0
    private var orders: [UInt32: CheckedContinuation<(pid_t, Int32), any Error>] = [:]
    private var runners: [UInt32: AsyncStream<ProcessEnding>.Continuation] = [:]
    private var isGone = false
    private var isRetired = false

    private typealias Arrival = (report: ZygoteReport, handle: Int32?)

    /// - Throws: `io` when the program cannot be started, `confinement` when the kernel lacks a layer.
    ///
    /// - Parameter probe: a way out of the sandbox that its runners are to try in place of an app.
    static func start(
        path: String, probe: String? = nil
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
        defer { close(pipes[0]) }
        do {
            _ = try await ChildProcess.start(
                path, ["--zygote"] + (probe.map { ["--probe", $0] } ?? []),
                descriptors: [pipes[1], dup(pipes[1]), ends[1]])
        } catch {
            close(ends[0])
            throw error
        }
        let (arrivals, arrived) = AsyncStream.makeStream(of: Arrival.self)
        // A descriptor of its own, so that none is closed under it.
        let socket = fcntl(ends[0], F_DUPFD_CLOEXEC, 0)
        Thread.detachNewThread {
            while let arrival = receive(socket) { arrived.yield(arrival) }
            close(socket)
            arrived.finish()
        }
        var iterator = arrivals.makeAsyncIterator()
        guard case .ready(let layers)? = await iterator.next()?.report else {
            let words = String(decoding: Self.rest(of: pipes[0]), as: UTF8.self)
            shutdown(ends[0], Int32(SHUT_RDWR))
            close(ends[0])
            throw .confinement(words)
        }
        let zygote = Zygote(socket: ends[0], layers: layers)
        Task { await zygote.take(arrivals) }
        return zygote
    }

    private init(socket: Int32, layers: [String]) {
        self.socket = socket
        self.layers = layers
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    /// Whether no more runners can be made; those that it made are gone as well.
    var hasEnded: Bool { isGone }

    /// Makes a runner.
    func makeRunner(_ limits: RunBudget) async throws(JSAppsError) -> RunnerProcess {
        let channels = try RunnerProcess.Channels()
        defer { channels.closeRunnerEnds() }
        last &+= 1
        let id = last
        let (endings, ended) = AsyncStream.makeStream(of: ProcessEnding.self)
        runners[id] = ended
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
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private func order(
        _ id: UInt32, _ limits: RunBudget, _ channels: RunnerProcess.Channels
    ) async throws -> (pid_t, Int32) {
        let order = ZygoteOrder.start(
            id: id, cpu: UInt32(clamping: limits.cpu.components.seconds),
            memory: UInt64(max(0, limits.memory)))
        return try await withCheckedThrowingContinuation { continuation in
            guard !isGone else { return continuation.resume(throwing: Self.gone) }
            orders[id] = continuation
            let packet = order.encoded()
            let descriptors = [channels.socket.runner, channels.output.runner]
            guard nervous_packet_send(socket, packet, packet.count, descriptors, 2) >= 0 else {
                let error = SystemError.last("sendmsg")
                orders.removeValue(forKey: id)?.resume(throwing: error)
                return
            }
        }
    }

    private func take(_ arrivals: AsyncStream<Arrival>) async {
        for await (report, handle) in arrivals { take(report, handle) }
        isGone = true
        for order in orders.values { order.resume(throwing: Self.gone) }
        orders = [:]
        for runner in runners.values {
            runner.yield(.unknown)
            runner.finish()
        }
        runners = [:]
    }

    private func take(_ report: ZygoteReport, _ handle: Int32?) {
        switch report {
        case .started(let id, let process):
            guard let order = orders.removeValue(forKey: id), let handle else {
                if let handle { close(handle) }
                return
            }
            order.resume(returning: (pid_t(process), handle))
        case .failed(let id, let error):
            orders.removeValue(forKey: id)?.resume(
                throwing: SystemError(call: "fork", number: Int32(error)))
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
        guard size > 0, let report = try? ZygoteReport(packet: packet.prefix(size)) else {
            return nil
        }
        return (report, count > 0 ? handle : nil)
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
