import CJavaScriptCore
import CProcess
import Glibc
import RunnerProtocol

/// One run of an app: the event loop for its scripts, timers and requests, on one thread.
final class Run {
    /// Nanoseconds after which frames are read again, although more timers are due.
    private static let longestRound: UInt64 = 100_000_000
    /// Nanoseconds until a response must begin: the owner may have to decide first.
    private static let longestWait: UInt64 = 600_000_000_000
    /// Nanoseconds in which a response that has begun must end, because a stream would never end.
    private static let longestResponse: UInt64 = 30_000_000_000
    /// The maximum number of bytes of other responses that are kept during such a wait.
    private static let keptBytes = 8 << 20

    private let engine: Engine
    private let channel: HostChannel
    private var dispatcher: JSObjectRef?
    private var clock = Clock()
    private var timers = TimerQueue()
    private var turnLimit = TurnLimit()
    private var presentation = Presentation()
    /// Requests without a complete response.
    private var requests: Set<UInt32> = []
    private var lastRequest: UInt32 = 0
    private var isLoaded = false
    /// Whether the app's page runs, rather than its script alone.
    private var hasPage = false
    /// Whether the bootstrap scripts have more to do, before timers.
    private var isStepDue = false
    /// When the run ends at the latest.
    private var end: UInt64?
    /// Whether an error was uncaught, which makes the exit code 1.
    private var hasFailed = false
    /// In virtual time: whether timers may fire, and the last report of having nothing to do.
    private var mayFire = false
    private var lastIdle: (received: UInt64, next: UInt64?)?
    /// The random numbers of a reproducible run; `nil` for the system's.
    private var seeded: SeededNumbers?
    /// The library that is being loaded for forked processes, with its source.
    private var provided: (library: RunnerLibrary, source: String)?
    /// The scripts that were evaluated for forked processes: their sources by name.
    private var evaluated: [String: String] = [:]
    private var hasBegun = false

    init(engine: Engine, socket: consuming ProtocolSocket) {
        self.engine = engine
        channel = HostChannel(socket)
    }

    /// Evaluates the bootstrap scripts, and makes the engine open the files that it reads once.
    func prepare() throws(LaunchError) {
        let bootstrap = try function(engine.evaluate(Bootstrap.source, named: Bootstrap.name))
        let primitives = engine.object(of: Primitive.all(of: self, engine))
        let dispatcher = try function(engine.call(bootstrap, [primitives]))
        self.dispatcher = dispatcher
        let question = engine.string("rejection handler")
        engine.reportUnhandledRejections(to: try function(engine.call(dispatcher, [question])))
        if case .thrown(let error) = engine.evaluate(WarmUp.script, named: "nervous:warm-up") {
            throw .engine(engine.describe(error))
        }
    }

    /// Loads a library, so that all processes that are forked from this one have it.
    ///
    /// If that fails, each run requests the library itself and reports the reason.
    func provide(_ library: RunnerLibrary, source: String) {
        guard let dispatcher else { return }
        provided = (library, source)
        _ = engine.call(dispatcher, [engine.string("provide"), engine.string("\(library)")])
        provided = nil
    }

    /// Evaluates a script, so that all processes that are forked from this one have its objects.
    ///
    /// If that fails, each run evaluates the script itself and reports the error.
    func provide(script source: String, named name: String) {
        if case .value = engine.evaluate(source, named: name) { evaluated[name] = source }
    }

    /// Collects garbage and returns free memory, so that forked processes do not inherit it.
    func collectGarbage() {
        engine.collectGarbage()
        nervous_process_trim()
    }

    /// Begins the time of the run, in the process that executes it.
    func begin() throws(LaunchError) {
        clock = Clock()
        timers = TimerQueue()
        isStepDue = false
        hasBegun = true
        guard let dispatcher else { return }
        if case .thrown(let error) = engine.call(dispatcher, [engine.string("begin")]) {
            throw .engine(engine.describe(error))
        }
        channel.begin()
    }

    /// The source of a library: one that is provided, or the host's.
    func source(of library: RunnerLibrary) throws(PrimitiveError) -> String {
        if let provided, provided.library == library { return provided.source }
        let response = try response { .library(id: $0, library) }
        return String(decoding: response.body, as: UTF8.self)
    }

    private func function(_ outcome: Outcome) throws(LaunchError) -> JSObjectRef {
        switch outcome {
        case .thrown(let error):
            throw .engine(engine.describe(error))
        case .value(let value):
            guard let function = engine.retainedFunction(value) else {
                throw .engine("no function")
            }
            return function
        }
    }

    /// Runs until nothing is left to do, and ends the process.
    func run(layers: [String]) -> Never {
        channel.send(.ready(layers: layers))
        while !isOver {
            reportIdle()
            channel.wait(milliseconds: waitMilliseconds)
            while let frame = channel.next() { handle(frame) }
            if isStepDue {
                isStepDue = false
                dispatch("step")
                presentation.postpone(at: clock.now)
            } else {
                fireTimers()
            }
            presentChange()
        }
        finish(hasFailed && !hasExpired ? 1 : 0)
    }

    /// Reports the end of the run and ends the process.
    func finish(_ code: UInt8) -> Never {
        presentEnd()
        channel.send(.finished(code: code))
        _exit(Int32(code))
    }

    /// Sends a frame, once the run has begun.
    func send(_ frame: RunnerFrame) {
        if hasBegun { channel.send(frame) }
    }

    // MARK: - For primitives

    /// Nanoseconds.
    var now: UInt64 { clock.now }

    /// - Parameter isBackground: whether the run may end before the timer is due.
    func setTimer(_ id: UInt32, afterNanoseconds delay: UInt64, isBackground: Bool) {
        timers.set(id, at: clock.now + delay, isBackground: isBackground)
    }

    func clearTimer(_ id: UInt32) { timers.clear(id) }

    /// Calls the bootstrap scripts again before timers fire.
    func requestStep() { isStepDue = true }

    func reportUncaught(_ error: UncaughtError) {
        guard hasBegun else { return }
        hasFailed = true
        channel.send(.uncaught(error))
    }

    func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
        if var numbers = seeded {
            buffer.fill(with: &numbers)
            seeded = numbers
        } else {
            var numbers = SystemRandomNumberGenerator()
            buffer.fill(with: &numbers)
        }
    }

    /// Fills a buffer with doubles from 0 to below 1.
    func fillFractions(_ buffer: UnsafeMutableRawBufferPointer) {
        fillRandom(buffer)
        for place in stride(from: 0, through: buffer.count - 8, by: 8) {
            // A double has 53 bits.
            let bits = buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self) >> 11
            buffer.storeBytes(of: Double(bits) * 0x1p-53, toByteOffset: place, as: Double.self)
        }
    }

    /// Sends a request.
    func begin(_ request: CheckedRequest) throws(PrimitiveError) -> UInt32 {
        let id = try nextRequest()
        requests.insert(id)
        channel.send(request.frame(id))
        return id
    }

    func cancelRequest(_ id: UInt32) {
        if requests.remove(id) != nil { channel.send(.cancel(id: id)) }
    }

    /// A complete response.
    struct Response {
        var status: UInt16 = 0
        var headers: [HeaderField] = []
        /// The address after redirects; empty if there were none.
        var url = ""
        var body: [UInt8] = []
    }

    /// Sends a request and waits for its complete response.
    ///
    /// Meanwhile pings and limits of the host are handled, and all other frames are deferred. The
    /// wait does not count as part of the turn.
    ///
    /// - Parameters:
    ///   - limit: milliseconds until the response must be complete; 0 for the longest wait.
    ///   - frame: the request with its identifier.
    /// - Throws: why there is no response: the host's message, or the limit that was exceeded.
    func response(
        within limit: Double = 0, to frame: (UInt32) -> RunnerFrame
    ) throws(PrimitiveError) -> Response {
        let id = try nextRequest()
        requests.insert(id)
        channel.send(frame(id))
        var response = Response()
        var kept = 0
        // Virtual time does not advance during the wait.
        let start = clock.monotonic
        var deadline = start + (limit > 0 ? UInt64(limit * 1_000_000) : Self.longestWait)
        while let frame = nextFrame(before: deadline) {
            switch frame {
            case .response(id, let status, let headers, let url):
                response.status = status
                response.headers = headers
                response.url = url
                deadline = min(deadline, clock.monotonic + Self.longestResponse)
            case .body(id, let bytes):
                response.body += bytes
            case .end(id):
                requests.remove(id)
                return response
            case .failure(id, let message):
                requests.remove(id)
                throw PrimitiveError(message)
            case .ping, .limits:
                handle(frame)
            case .body(_, let bytes):
                kept += bytes.count
                channel.deferFrame(frame)
            default:
                channel.deferFrame(frame)
            }
            if kept > Self.keptBytes { break }
        }
        requests.remove(id)
        channel.send(.cancel(id: id))
        if kept > Self.keptBytes {
            throw PrimitiveError("other responses exceeded \(Self.keptBytes) bytes meanwhile")
        }
        throw PrimitiveError("the response timed out")
    }

    private func nextFrame(before deadline: UInt64) -> HostFrame? {
        while true {
            if let frame = channel.nextReceived() { return frame }
            let now = clock.monotonic
            guard now < deadline else { return nil }
            let rest = Int32(clamping: (deadline - now + 999_999) / 1_000_000)
            TurnLimit.pausing { channel.wait(milliseconds: rest) }
        }
    }

    private func nextRequest() throws(PrimitiveError) -> UInt32 {
        guard hasBegun else { throw PrimitiveError("the run has not begun") }
        guard requests.count < Limits.requests else {
            throw PrimitiveError("\(Limits.requests) requests are already active")
        }
        repeat { lastRequest &+= 1 } while requests.contains(lastRequest)
        return lastRequest
    }

    // MARK: - Frames

    /// Handles a frame of the host; a frame about a request that has ended is ignored, because it
    /// is only late.
    private func handle(_ frame: HostFrame) {
        switch frame {
        case .load(let name, let source):
            load(source, named: name)
        case .loaded:
            isLoaded = true
            // The document of a page fires the event itself.
            if !hasPage { dispatch("loaded") }
        case .page(let name):
            hasPage = true
            dispatch("page", engine.string(name))
        case .present(let text, let markup):
            presentation = Presentation(reportsText: text, reportsMarkup: markup)
        case .lifetime(let milliseconds):
            end = clock.now + UInt64(milliseconds) * 1_000_000
        case .response(let id, let status, let headers, let url):
            guard requests.contains(id) else { return }
            dispatch(
                "response", engine.number(Double(id)), engine.number(Double(status)),
                engine.string(headers.lines), engine.string(url))
        case .body(let id, let bytes):
            guard requests.contains(id) else { return }
            dispatch("body", engine.number(Double(id)), engine.bytes(bytes))
        case .end(let id):
            guard requests.remove(id) != nil else { return }
            dispatch("end", engine.number(Double(id)))
        case .failure(let id, let message):
            guard requests.remove(id) != nil else { return }
            dispatch("failure", engine.number(Double(id)), engine.string(message))
        case .ping(let number):
            channel.send(.pong(number))
        case .limits(let wall, let cpu):
            turnLimit.set(wall: wall, cpu: cpu)
        case .time(let start, let seed):
            clock.set(0)
            seeded = SeededNumbers(seed: seed)
            dispatch("time", engine.number(Double(start) / 1000))
        case .advance(let time, let fires):
            guard clock.isVirtual else { return }
            clock.set(time)
            mayFire = fires
        }
    }

    private func load(_ source: String, named name: String) {
        guard evaluated[name] != source else { return }
        // The engine's C API has no modules: `modules.js` evaluates scripts that may import.
        guard !source.contains("import(") else {
            return dispatch("script", engine.string(name), engine.string(source))
        }
        turnLimit.begin()
        let outcome = engine.evaluate(source, named: name)
        turnLimit.end()
        guard case .thrown(let error) = outcome else { return }
        if engine.isScript(source) {
            report(error, file: name)
        } else {
            dispatch("module", engine.string(name), engine.string(source), error)
        }
    }

    // MARK: - Calling JavaScript

    /// Calls the bootstrap scripts, which call the app and report its exceptions.
    private func dispatch(_ event: String, _ arguments: JSValueRef?...) {
        guard let dispatcher else { return }
        presentation.noteChange(at: clock.now)
        turnLimit.begin()
        defer { turnLimit.end() }
        if case .thrown(let error) = engine.call(dispatcher, [engine.string(event)] + arguments) {
            reportWithoutScripts(error, file: "")
        }
    }

    /// Reports the exception of a script while it was loaded.
    private func report(_ error: JSValueRef, file: String) {
        guard let dispatcher else { return }
        turnLimit.begin()
        defer { turnLimit.end() }
        let arguments = [engine.string("thrown"), error, engine.string(file)]
        if case .thrown = engine.call(dispatcher, arguments) {
            reportWithoutScripts(error, file: file)
        }
    }

    /// Reports an error when even the bootstrap scripts fail, such as when the stack is exhausted.
    private func reportWithoutScripts(_ error: JSValueRef, file: String) {
        reportUncaught(
            UncaughtError(
                file: file, line: 0, column: 0, message: engine.describe(error), stack: ""))
    }

    /// A text from the bootstrap scripts; `nil` if they have none.
    private func text(of question: String) -> String? {
        guard let dispatcher else { return nil }
        turnLimit.begin()
        defer { turnLimit.end() }
        guard case .value(let value) = engine.call(dispatcher, [engine.string(question)]) else {
            return nil
        }
        return engine.text(value)
    }

    // MARK: - Presentation

    /// Reports the visible text if it has changed and was not reported just now.
    private func presentChange() {
        guard let due = presentation.due, due <= clock.now else { return }
        presentation.noteReading(at: clock.now)
        presentText()
    }

    private func presentEnd() {
        if presentation.reportsText { presentText() }
        if presentation.reportsMarkup, let text = text(of: "markup") {
            channel.send(.markup(text: text.shortened(toBytes: FrameLimits.markup)))
        }
        presentation = Presentation()
    }

    private func presentText() {
        guard let text = text(of: "view") else { return }
        channel.send(.view(text: text.shortened(toBytes: FrameLimits.view)))
    }

    // MARK: - Time

    /// In virtual time, reports that nothing is left to do now, once for each combination of
    /// received frames and next deadline.
    private func reportIdle() {
        guard clock.isVirtual, !channel.hasDeferred, !isStepDue, !mayFire else { return }
        let next = deadline
        if let lastIdle, lastIdle == (channel.received, next) { return }
        lastIdle = (channel.received, next)
        channel.send(.idle(received: channel.received, next: next))
    }

    /// The next time at which there is something to do; `nil` if there is none.
    private var deadline: UInt64? {
        [timers.deadline, presentation.due, end].compactMap(\.self).min()
    }

    private var hasExpired: Bool { end.map { clock.now >= $0 } ?? false }

    private var isOver: Bool {
        hasExpired
            || isLoaded && !isStepDue && !channel.hasDeferred && requests.isEmpty
                && !timers.keepsRunAlive
    }

    /// Milliseconds until the next deadline, rounded up; -1 if there is none.
    private var waitMilliseconds: Int32 {
        guard !channel.hasDeferred, !isStepDue, !mayFire else { return 0 }
        guard !clock.isVirtual, let deadline else { return -1 }
        let now = clock.now
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }

    /// Fires the timers that are due.
    ///
    /// Timers that callbacks set, and timers for which a round has no time left, wait for the next
    /// round, so that frames are read in between.
    private func fireTimers() {
        guard !clock.isVirtual || mayFire else { return }
        mayFire = false
        let mark = timers.mark
        let (now, start) = (clock.now, clock.monotonic)
        while let id = timers.takeDue(at: now, setBefore: mark) {
            dispatch("timer", engine.number(Double(id)))
            // In virtual time, timers that are due together fire together: nothing else waits.
            guard clock.isVirtual || clock.monotonic - start < Self.longestRound else { return }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func fill(with generator: inout some RandomNumberGenerator) {
        var rest = self[...]
        while !rest.isEmpty {
            withUnsafeBytes(of: generator.next()) { bytes in
                let count = Swift.min(bytes.count, rest.count)
                UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count))
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
                rest = rest.dropFirst(count)
            }
        }
    }
}
