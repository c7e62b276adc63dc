import NIOCore
import NIOPosix
import RunnerProtocol

/// One run of an app in one process: carries its calls to the host, counts what it uses, and ends it
/// when it must.
///
/// The runner is taken to be hostile: who it is follows from its socket, and a frame that is not one
/// ends it.
actor AppRun {
    private static let lineCost = 32

    /// What the engine throws when there is no more.
    private static let outOfMemory = "RangeError: Out of memory"

    let configuration: RunConfiguration
    let origin: OwnOrigin
    let connection: any HostConnection
    var calls: [UInt32: Task<Void, Never>] = [:]
    var usage = RunUsage()
    var callMeter: MinuteMeter
    private(set) var verdict: RunOutcome?
    let process: RunnerProcess
    /// The last question whether it lives, and what became of it.
    var lastPing: UInt32 = 0
    var isAnswered = true
    var isPingUnsent = false
    /// Whether no frame is taken because something else is waited for.
    private(set) var isHeld = false

    /// The thread that reads and writes the runner's socket, and does what its calls ask for.
    nonisolated let executor: EventLoopExecutor
    private let onEvent: @Sendable (RunEvent) async -> Void
    private var logMeter: MinuteMeter
    private var writer: NIOAsyncChannelOutboundWriter<ByteBuffer>?
    private var conversation: Task<Void, Never>?
    private var cancellations = 0
    private(set) var isReady = false
    /// Answers whose last part the runner has not taken.
    var unheard = 0
    /// The conversation, while it waits for that.
    var listening: CheckedContinuation<Void, Never>?
    /// Who waits to be answered with a file.
    var fileTurns: [(id: UInt32, turn: CheckedContinuation<Bool, Never>)] = []
    var isFileTaken = false
    private var hasShownMarkup = false
    /// Where the host tells the time, what has to be known for that.
    var told = ToldTime()
    /// Libraries that were handed out; no runner needs one twice.
    var handed: Set<RunnerLibrary> = []
    /// Whether the app let the engine's word that memory had ended go uncaught.
    private(set) var hasRunOut = false
    /// Bytes that were resident when the app's code had not yet come.
    private(set) var memoryAtStart = 0

    init(
        _ configuration: RunConfiguration, process: RunnerProcess,
        connection: any HostConnection, onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) {
        self.configuration = configuration
        self.process = process
        self.connection = connection
        self.onEvent = onEvent
        executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.any())
        origin = OwnOrigin(app: configuration.app)
        callMeter = MinuteMeter(limit: configuration.budget.callsPerMinute)
        logMeter = MinuteMeter(limit: configuration.budget.logPerMinute)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.loop.executor.asUnownedSerialExecutor()
    }

    /// Goes on until the app has ended; when the task is cancelled, it is stopped.
    func run() async -> (RunOutcome, RunUsage) {
        // What is cancelled cannot wait for the process to end.
        let work = Task(executorPreference: executor) { await self.perform() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            Task { await self.end(.stopped) }
        }
    }

    /// What has been used until now.
    func currentUsage() -> RunUsage {
        var current = usage
        if let now = process.usage() { (current.cpu, current.memory) = (now.cpu, now.memory) }
        return current
    }

    // MARK: - Conversation

    private func perform() async -> (RunOutcome, RunUsage) {
        let conversation = Task(executorPreference: executor) { await self.converse() }
        self.conversation = conversation
        if verdict != nil { conversation.cancel() }
        await conversation.value
        process.kill()
        var ending = ProcessEnding.unknown
        for await last in process.endings { ending = last }
        // Nothing that it asked for goes on when the run is said to have ended.
        await endTime()
        let left = calls.values
        for call in left { call.cancel() }
        for call in left { await call.value }
        // Who counted may have died with it.
        usage.cpu = max(usage.cpu, ending.cpu)
        usage.memory = max(usage.memory, ending.peakMemory)
        return (outcome(ending), usage)
    }

    private func converse() async {
        let connection: Int32
        do throws(SystemError) {
            connection = try process.connection()
        } catch {
            return end(.failedToStart("The host has no descriptor left: \(error.reason)."))
        }
        do {
            let channel = try await ClientBootstrap(group: executor.loop)
                .withConnectedSocket(connection) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                try await self.converse(inbound, outbound)
            }
        } catch {
            // A socket that breaks is a process that ends, and that tells how.
        }
    }

    private func converse(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        writer = outbound
        let watching = Task { await watch() }
        defer { watching.cancel() }
        var reader = FrameReader<RunnerFrame>()
        for try await bytes in inbound {
            reader.append(bytes.readableBytesView)
            do throws(FrameError) {
                while verdict == nil, let frame = try reader.next() { await receive(frame) }
            } catch {
                end(.protocolViolation("\(error)"))
            }
            guard verdict == nil else { return }
        }
    }

    private func receive(_ frame: RunnerFrame) async {
        if case .ready(let layers) = frame {
            guard !isReady else { return end(.protocolViolation("a second ready")) }
            isReady = true
            memoryAtStart = process.usage()?.memory ?? 0
            await tell(.started(layers: layers))
            for notice in configuration.notices {
                await tell(.console(level: .warn, text: notice))
            }
            return await load()
        }
        guard isReady else { return end(.protocolViolation("a word before it was ready")) }
        switch frame {
        case .ready: break
        case .console(let level, let text):
            guard await log(text.utf8.count) else { return }
            await tell(.console(level: RunEvent.Level(level), text: text))
        case .uncaught(let error):
            guard
                await log(
                    error.file.utf8.count + error.message.utf8.count + error.stack.utf8.count)
            else { return }
            hasRunOut = hasRunOut || error.message == Self.outOfMemory
            let place = error.file.isEmpty ? nil : "\(error.file):\(error.line):\(error.column)"
            await tell(.uncaught(message: error.message, place: place, stack: error.stack))
        case .request(let id, let method, let target, let headers, let body):
            await awaitHearing()
            begin(id, method, target, headers, body)
        case .library(let id, let library):
            await awaitHearing()
            hand(library, for: id)
        case .view(let text):
            guard configuration.presentation.showsText else {
                return end(.protocolViolation("a view that nobody asked for"))
            }
            guard await log(text.utf8.count) else { return }
            await tell(.view(text: text))
        case .markup(let text):
            guard configuration.presentation.showsMarkup, !hasShownMarkup else {
                return end(.protocolViolation("a document that nobody asked for"))
            }
            hasShownMarkup = true
            await tell(.markup(text: text))
        case .cancel(let id):
            await cancel(id)
        case .pong(let number):
            // It may come before the host has heard that its question was sent.
            guard number == lastPing, !isAnswered else {
                return end(.protocolViolation("an answer that nobody asked for"))
            }
            isAnswered = true
        case .idle(let heard, let next):
            noteIdleness(heard: heard, next: next)
        case .finished(let code):
            end(.finished(code: code))
        }
    }

    /// Waits for the call to end, so that one that is to end counts among those that are open.
    private func cancel(_ id: UInt32) async {
        cancellations += 1
        guard cancellations <= usage.calls else {
            return end(.protocolViolation("an end to a call that was not made"))
        }
        guard let call = calls.removeValue(forKey: id) else { return }
        call.cancel()
        leaveFileTurns(id)
        endTurn(id)
        isHeld = true
        await call.value
        isHeld = false
    }

    private func tell(_ event: RunEvent) async {
        isHeld = true
        await onEvent(event)
        isHeld = false
    }

    /// Sends frames at once.
    ///
    /// - Returns: whether they were sent.
    func send(_ frames: [HostFrame]) async -> Bool {
        guard let writer, verdict == nil else { return false }
        told.sent += UInt64(frames.count)
        var buffer = ByteBuffer()
        for frame in frames { buffer.writeBytes(frame.encoded()) }
        return (try? await writer.write(buffer)) != nil
    }

    func send(_ frame: HostFrame) async -> Bool { await send([frame]) }

    private func log(_ bytes: Int) async -> Bool {
        usage.logged += bytes
        // Lines without a text are not for nothing.
        guard logMeter.add(bytes + Self.lineCost, at: instant) else {
            end(.exceeded(.logPerMinute))
            return false
        }
        return true
    }

    // MARK: - Ending

    /// The first verdict stands; the process does not outlive it.
    func end(_ outcome: RunOutcome) {
        guard verdict == nil else { return }
        verdict = outcome
        process.kill()
        goOnListening()
        // Whoever it waits for, such as the reader of its console, is not to hold up its end.
        conversation?.cancel()
    }
}
