import NIOCore
import RunnerProtocol

/// One run of an app in one process: forwards its calls to the host and enforces its budget.
///
/// The runner is untrusted: its identity follows from its socket; an invalid frame ends the run.
actor AppRun {
    /// The delay of the response to a call beyond the budget, so that repeating it gains nothing.
    private static let refusalDelay = Duration.milliseconds(250)

    private let configuration: RunConfiguration
    private let process: RunnerProcess
    private let connection: any HostConnection
    private let onEvent: @Sendable (RunEvent) async -> Void
    private let origin: OwnOrigin
    /// The thread that reads and writes the runner's socket and forwards its calls.
    private nonisolated let executor: EventLoopExecutor

    private var outcome = OutcomeTracker()
    private var meter: UsageMeter
    private var watchdog: Watchdog
    private var calls = CallTable()
    /// `nil` if the app follows the machine's clock.
    private var clock: VirtualRunClock?
    private var output: RunOutput
    private var writer: NIOAsyncChannelOutboundWriter<ByteBuffer>?
    private var frameExchange: Task<Void, Never>?
    /// The last ping that was sent; at most one waits for the socket.
    private var ping: Task<Void, Never>?

    /// - Parameter onEvent: receives the events of the run; the next frame is read after it
    ///   returns.
    init(
        _ configuration: RunConfiguration, process: RunnerProcess,
        connection: any HostConnection, onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) {
        self.configuration = configuration
        self.process = process
        self.connection = connection
        self.onEvent = onEvent
        executor = EventLoopExecutor()
        origin = OwnOrigin(app: configuration.app)
        meter = UsageMeter(configuration.budget)
        output = RunOutput(configuration.presentation)
        watchdog = Watchdog(configuration.budget, pingTimeLimit: configuration.pingTimeLimit)
        clock = configuration.time.map { VirtualRunClock($0) }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs the app to its end; stops it when the task is cancelled.
    func run() async -> (RunOutcome, RunUsage) {
        // A cancelled task could not wait for the process to end.
        let work = Task(executorPreference: executor) { await self.perform() }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            Task { await self.end(.stopped) }
        }
    }

    /// What it uses now of what all runs share; `nil` when the process has ended.
    nonisolated func load(_ id: String, beyond start: Int) -> SharedBudget.Load? {
        process.ownUsage().map {
            SharedBudget.Load(run: id, cpu: $0.cpu, growth: $0.memory - start)
        }
    }

    /// Ends it because all runs together exceed their budget.
    func exceedTotalMemory() {
        end(.exceeded(.totalMemory))
    }

    /// Gives it only processor time that no other process needs.
    nonisolated func yieldProcessor() {
        process.yieldProcessor()
    }

    /// The usage so far.
    func currentUsage() -> RunUsage {
        var current = meter.usage
        if let now = process.usage() { (current.cpu, current.memory) = (now.cpu, now.memory) }
        return current
    }

    // MARK: - Frames

    private func perform() async -> (RunOutcome, RunUsage) {
        let frameExchange = Task(executorPreference: executor) { await self.exchangeFrames() }
        self.frameExchange = frameExchange
        if outcome.verdict != nil { frameExchange.cancel() }
        await frameExchange.value
        await ping?.value
        process.kill()
        var ending = ProcessEnding.unknown
        for await last in process.endings { ending = last }
        // Nothing that the app asked for continues after the end of the run.
        if let advanceTask = clock?.stop() { await advanceTask.value }
        for call in calls.cancelAll() { await call.value }
        meter.finish(ending)
        let result = outcome.outcome(ending, configuration.budget) { process.output() }
        return (result, meter.usage)
    }

    private func exchangeFrames() async {
        do {
            let channel = try await process.openChannel(on: executor.loop)
            try await channel.executeThenClose { inbound, outbound in
                try await self.exchangeFrames(inbound, outbound)
            }
        } catch let error as AppRunsError {
            end(.failedToStart(error.message))
        } catch {
            // The socket breaks when the process ends; its exit status gives the reason.
        }
    }

    private func exchangeFrames(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        writer = outbound
        // Ends with this scope, which cancels it and waits for it.
        async let _ = watch()
        var reader = FrameReader<RunnerFrame>()
        for try await bytes in inbound {
            reader.append(bytes.readableBytesView)
            do throws(FrameError) {
                while outcome.verdict == nil, let frame = try reader.next() {
                    await receive(frame)
                }
            } catch {
                end(.protocolViolation("\(error)"))
            }
            guard outcome.verdict == nil else { return }
        }
    }

    private func receive(_ frame: RunnerFrame) async {
        if case .ready(let layers) = frame { return await start(layers: layers) }
        guard outcome.isReady else { return end(.protocolViolation("frame before ready")) }
        switch frame {
        case .ready: break
        case .console, .uncaught, .view, .markup:
            if case .uncaught(let error) = frame { outcome.noteUncaught(error.message) }
            switch output.event(for: frame, &meter, at: instant) {
            case .event(let event): await report(event)
            case .end(let result): end(result)
            }
        case .request(let id, let method, let target, let headers, let body):
            await waitWhileCongested()
            begin(AppCall(id: id, method: method, target: target, headers: headers, body: body))
        case .library(let id, let library):
            await waitWhileCongested()
            send(library, for: id)
        case .cancel(let id):
            await cancel(id)
        case .pong(let number):
            guard watchdog.acceptPong(number) else {
                return end(.protocolViolation("unrequested pong"))
            }
        case .idle(let received, let next):
            guard clock?.recordIdle(received: received, next: next) == true else {
                return end(.protocolViolation("impossible idle report"))
            }
            advanceTime()
        case .finished(let code):
            end(.finished(code: code))
        }
    }

    private func start(layers: [String]) async {
        guard !outcome.isReady else { return end(.protocolViolation("second ready")) }
        outcome.becomeReady(memory: process.usage()?.memory ?? 0)
        await report(.started(layers: layers))
        for notice in configuration.notices { await report(.console(level: .warn, text: notice)) }
        _ = await send(configuration.startFrames(host: origin.host))
    }

    private func report(_ event: RunEvent) async {
        watchdog.isPaused = true
        await onEvent(event)
        watchdog.isPaused = false
    }

    /// Sends frames in one write.
    ///
    /// - Returns: whether they were sent.
    private func send(_ frames: [HostFrame]) async -> Bool {
        guard let writer, outcome.verdict == nil else { return false }
        clock?.recordSent(frames.count)
        var buffer = ByteBuffer()
        for frame in frames { buffer.writeBytes(frame.encoded()) }
        do {
            try await writer.write(buffer)
            return true
        } catch {
            // In a call that the app has cancelled, nothing is written.
            clock?.recordUnsent(frames.count)
            return false
        }
    }

    /// Kills the process; the first outcome is final.
    private func end(_ result: RunOutcome) {
        guard outcome.decide(result) else { return }
        process.kill()
        calls.resumeFrameLoop()
        // The frame loop may be waiting, for instance for `onEvent` to show a console line.
        frameExchange?.cancel()
    }

    // MARK: - Limits

    /// The time by which limits per minute are counted: virtual time if the run has it, else the machine's
    /// clock.
    private var instant: ContinuousClock.Instant { clock?.instant ?? .now }

    /// Checks at intervals the usage of the process and whether its event loop runs.
    private func watch() async {
        watchdog.begin(at: .now)
        while !Task.isCancelled, outcome.verdict == nil {
            let used = process.usage()
            if let used { meter.observe(cpu: used.cpu, memory: used.memory) }
            switch watchdog.check(at: .now, cpu: used?.cpu) {
            case .end(let result): return end(result)
            case .wait(let duration, let ping):
                if let ping { send(ping: ping) }
                try? await Task.sleep(for: duration)
            }
        }
    }

    private func send(ping number: UInt32) {
        ping = Task(executorPreference: executor) {
            _ = await self.send([.ping(number)])
            await self.pingWasSent()
        }
    }

    private func pingWasSent() {
        watchdog.pingWasSent()
    }

    // MARK: - Calls

    private func begin(_ call: AppCall) {
        guard calls.accepts(call.id) else { return end(.protocolViolation("too many calls")) }
        if let violation = call.violation { return end(.protocolViolation(violation)) }
        let isWithinBudget = meter.addCalls(call.count, at: instant)
        clock?.add(call.id)
        // Runs on the thread that read the call: changing threads takes longer than most responses.
        calls.add(
            call.id,
            Task(executorPreference: executor) {
                await self.waitForEarlierCalls(call.id)
                let last =
                    isWithinBudget ? await self.perform(call) : await self.refusal(of: call.id)
                if let last { await self.conclude(call.id, [last]) }
                await self.allowNextCall(after: call.id, isComplete: true)
            })
    }

    /// Sends a script that the app needs.
    private func send(_ library: RunnerLibrary, for id: UInt32) {
        guard calls.accepts(id) else { return end(.protocolViolation("too many calls")) }
        guard calls.markSent(library) else { return end(.protocolViolation("repeated library")) }
        meter.addLibrary()
        calls.add(
            id,
            Task(executorPreference: executor) {
                let frames =
                    self.configuration.libraries[library].map { ResponseFrames.content($0, id) }
                    ?? [.failure(id: id, message: RunLibraries.reasonMissing(library))]
                await self.conclude(id, frames)
            })
    }

    /// Makes a call.
    ///
    /// - Returns: why there is no complete response; `nil` if there is one, or the call was
    ///   cancelled.
    private func perform(_ call: AppCall) async -> HostFrame? {
        let id = call.id
        switch call.route(from: origin, configuration) {
        case .rejected(let message): return .failure(id: id, message: message)
        case .startsApp:
            let response = HostFrame.response(id: id, status: 204, headers: [])
            await conclude(id, configuration.appFrames + [response, .end(id: id)])
            return nil
        case .outbound(let request):
            return await forward(request, id) { OutboundFetch.frames(for: $0, to: id) }
        case .api(let request):
            return await forward(request, id) { ResponseFrames($0, to: id) }
        case .file(let request):
            guard await waitForFile(id) else { return nil }
            defer { calls.endFile() }
            return await forward(request, id) { ResponseFrames($0, to: id) }
        }
    }

    private func forward(
        _ request: HostCall, _ id: UInt32,
        translate: @escaping @Sendable (HostAnswerPart) -> ResponseFrames
    ) async -> HostFrame? {
        guard !Task.isCancelled else { return nil }
        do {
            try await connection.send(request) { part in
                try await self.send(translate(part), of: id)
            }
            return nil
        } catch {
            guard !Task.isCancelled else { return nil }
            let reason = (error as? InterruptedAnswer)?.reason
            return .failure(id: id, message: reason ?? "The host's response was interrupted.")
        }
    }

    private func send(_ frames: ResponseFrames, of id: UInt32) async throws {
        switch frames {
        case .last(let frames): await conclude(id, frames)
        case .some(let frames, let opensStream):
            guard await send(frames) else { throw CancellationError() }
            if opensStream, calls.contains(id) {
                clock?.beginStream(id)
                allowNextCall(after: id, isComplete: false)
            }
        case .invalid: throw CancellationError()
        }
    }

    /// Removes the call from the table, then sends the last frames of its response: the runner may make its
    /// next call as soon as it has read them.
    private func conclude(_ id: UInt32, _ frames: [HostFrame]) async {
        calls.beginLastFrames(of: id)
        defer { calls.endLastFrames() }
        _ = await send(frames)
    }

    /// The delayed response to a call beyond the budget.
    private func refusal(of id: UInt32) async -> HostFrame? {
        guard (try? await Task.sleep(for: Self.refusalDelay)) != nil else { return nil }
        let limit = configuration.budget.callsPerMinute
        return .failure(
            id: id, message: "The app may make \(limit) calls a minute (budget calls-per-minute).")
    }

    /// Cancels a call and waits for its end.
    ///
    /// No frame is read meanwhile, so the runner cannot begin another call.
    private func cancel(_ id: UInt32) async {
        guard meter.addCancellation() else {
            return end(.protocolViolation("cancellation without a call"))
        }
        guard let call = calls.remove(id) else { return }
        call.cancel()
        calls.leaveFileQueue(id)
        allowNextCall(after: id, isComplete: false)
        watchdog.isPaused = true
        await call.value
        watchdog.isPaused = false
    }

    private func waitWhileCongested() async {
        guard calls.isCongested, outcome.verdict == nil else { return }
        await withCheckedContinuation { calls.waitForReader($0) }
    }

    /// - Returns: `false` if the call was cancelled.
    private func waitForFile(_ id: UInt32) async -> Bool {
        await withCheckedContinuation { continuation in
            // A call that is cancelled already would never be taken out of the queue.
            if Task.isCancelled {
                continuation.resume(returning: false)
            } else {
                calls.queueForFile(id, continuation)
            }
        }
    }

    // MARK: - Virtual time

    /// Waits until the calls before this one have been answered; only in virtual time.
    private func waitForEarlierCalls(_ id: UInt32) async {
        guard clock != nil else { return }
        await withCheckedContinuation { clock?.wait(id, $0) }
    }

    private func allowNextCall(after id: UInt32, isComplete: Bool) {
        clock?.allowNextCall(after: id, isComplete: isComplete)
        advanceTime()
    }

    /// Advances virtual time if the app has nothing to do.
    private func advanceTime() {
        guard outcome.verdict == nil, let time = clock?.time,
            clock?.beginAdvance(calls.ids) == true
        else { return }
        let deadline = clock?.deadline
        clock?.setAdvanceTask(
            Task(executorPreference: executor) {
                await self.advance(time, to: deadline)
                await self.endAdvance()
            })
    }

    private func endAdvance() {
        clock?.endAdvance()
        advanceTime()
    }

    /// Advances to the app's deadline, or to a sample that a stream waits for.
    private func advance(_ time: any VirtualRunTime, to deadline: Int64?) async {
        let before = clock?.sentFrames
        await time.deliverPendingSamples()
        // Frames of a stream and requests of the app are handled before time advances.
        guard clock?.sentFrames == before, clock?.isIdle(calls.ids) == true,
            outcome.verdict == nil
        else { return }
        do {
            guard let moment = try await time.advance(to: deadline) else {
                // No stream will receive another sample: the run ends as if nothing were left to
                // wait for.
                _ = await send([.lifetime(0)])
                return
            }
            let microseconds = clock?.advance(to: moment) ?? 0
            _ = await send([.advance(to: microseconds * 1000, fires: moment.isDeadline)])
            if !moment.isDeadline { await time.deliverPendingSamples() }
        } catch is CancellationError {
            // The run has ended for another reason.
        } catch {
            end(.failedToStart("The virtual time could not advance: \(error)"))
        }
    }
}
