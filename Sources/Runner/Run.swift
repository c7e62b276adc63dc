import CJavaScriptCore
import Glibc
import RunnerProtocol

/// One run of an app: its scripts, timers and requests on one thread, until nothing is left.
final class Run {
    /// Nanoseconds.
    private static let longestRound: UInt64 = 100_000_000

    let engine: Engine
    var clock = Clock()
    var timers = TimerQueue()
    /// Timers that do not keep the run going, such as that of `AbortSignal.timeout`.
    var backgroundTimers: Set<UInt32> = []
    /// Requests whose answer is not complete.
    var requests: Set<UInt32> = []
    var lastRequest: UInt32 = 0
    var isLoaded = false
    /// Whether the app's page runs, rather than its script alone.
    var hasPage = false
    /// Whether `bootstrap.js` has something more to do, before timers.
    var isStepDue = false
    /// What of the page is to be told.
    var presentation = Presentation()
    /// When the run is to end at the latest.
    var end: UInt64?
    /// Whether an error went uncaught, which makes the exit code 1.
    var hasFailed = false
    var turnLimit = TurnLimit()
    /// Frames that came while something else was waited for.
    var deferred: [HostFrame] = []
    /// Frames that have come from the host.
    private var heard: UInt64 = 0
    /// Where the host tells the time: whether timers may go off, and what was said of idleness last.
    var mayFire = false
    private var lastIdle: (heard: UInt64, next: UInt64?)?
    /// What random numbers follow from; the system's where it is `nil`.
    var seeded: SeededNumbers?
    private var socket: ProtocolSocket
    private var dispatcher: JSObjectRef?

    init(engine: Engine, socket: consuming ProtocolSocket) {
        self.engine = engine
        self.socket = socket
        self.socket.stopBlocking()
    }

    /// Gives the context what a browser would have and lets the engine open what it opens once.
    func prepare() throws(LaunchError) {
        let bootstrap = try function(engine.evaluate(Bootstrap.source, named: Bootstrap.name))
        let dispatcher = try function(engine.call(bootstrap, [engine.object(of: primitives)]))
        self.dispatcher = dispatcher
        let word = engine.string("rejection handler")
        engine.reportUnhandledRejections(to: try function(engine.call(dispatcher, [word])))
        if case .thrown(let error) = engine.evaluate(WarmUp.script, named: "nervous:warm-up") {
            throw .engine(engine.describe(error))
        }
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

    /// Runs to the end and returns the exit status.
    func go(layers: [String]) -> Int32 {
        do throws(ProtocolSocket.Lost) {
            try socket.send(.ready(layers: layers))
            while !isOver {
                tellIdleness()
                if socket.waitForFrames(milliseconds: patience) { try socket.receive() }
                while let frame = try nextFrame() { handle(frame) }
                if isStepDue {
                    isStepDue = false
                    dispatch("step")
                    presentation.wait(at: clock.now)
                } else {
                    fireTimers()
                }
                presentChange()
            }
        } catch {
            return status(of: error)
        }
        finish(hasFailed && !hasExpired ? 1 : 0)
    }

    /// Says to the host that the run is over, and ends the process.
    func finish(_ code: UInt8) -> Never {
        presentEnd()
        send(.finished(code: code))
        _exit(Int32(code))
    }

    /// Sends, or ends the process when the host is gone.
    func send(_ frame: RunnerFrame) {
        do throws(ProtocolSocket.Lost) {
            try socket.send(frame)
        } catch {
            _exit(status(of: error))
        }
    }

    /// The next frame that has arrived whole; the process ends when the host is gone.
    func arrivedFrame() -> HostFrame? {
        do throws(ProtocolSocket.Lost) {
            return try next()
        } catch {
            _exit(status(of: error))
        }
    }

    /// Takes what the host sends within `milliseconds`; the process ends when the host is gone.
    func waitAndReceive(milliseconds: Int32) {
        do throws(ProtocolSocket.Lost) {
            if socket.waitForFrames(milliseconds: milliseconds) { try socket.receive() }
        } catch {
            _exit(status(of: error))
        }
    }

    /// Calls the app by way of `bootstrap.js`, which reports what the app throws.
    func dispatch(_ event: String, _ arguments: JSValueRef?...) {
        guard let dispatcher else { return }
        presentation.noteChange(at: clock.now)
        turnLimit.begin()
        defer { turnLimit.end() }
        if case .thrown(let error) = engine.call(dispatcher, [engine.string(event)] + arguments) {
            reportPlainly(error, file: "")
        }
    }

    /// Asks `bootstrap.js` for a text; `nil` when it has none.
    func text(of question: String) -> String? {
        guard let dispatcher else { return nil }
        turnLimit.begin()
        defer { turnLimit.end() }
        guard case .value(let value) = engine.call(dispatcher, [engine.string(question)]) else {
            return nil
        }
        return engine.text(value)
    }

    /// Reports what a script threw while it was loaded.
    func report(_ error: JSValueRef, file: String) {
        guard let dispatcher else { return }
        turnLimit.begin()
        defer { turnLimit.end() }
        let arguments = [engine.string("thrown"), error, engine.string(file)]
        if case .thrown = engine.call(dispatcher, arguments) { reportPlainly(error, file: file) }
    }

    private func nextFrame() throws(ProtocolSocket.Lost) -> HostFrame? {
        deferred.isEmpty ? try next() : deferred.removeFirst()
    }

    private func next() throws(ProtocolSocket.Lost) -> HostFrame? {
        guard let frame = try socket.next() else { return nil }
        heard += 1
        return frame
    }

    /// Says where the host tells the time that nothing is left to do now, once for each reason.
    private func tellIdleness() {
        guard clock.isTold, deferred.isEmpty, !isStepDue, !mayFire else { return }
        let next = deadline
        if let lastIdle, lastIdle == (heard, next) { return }
        lastIdle = (heard, next)
        send(.idle(heard: heard, next: next))
    }

    /// When there is something to do at the latest.
    private var deadline: UInt64? {
        [timers.deadline, presentation.due, end].compactMap(\.self).min()
    }

    private var hasExpired: Bool { end.map { clock.now >= $0 } ?? false }

    private var isOver: Bool {
        hasExpired
            || isLoaded && !isStepDue && deferred.isEmpty && requests.isEmpty
                && timers.count == backgroundTimers.count
    }

    /// Milliseconds until the next timer, rounded up so that it is due then; -1 without one.
    private var patience: Int32 {
        guard deferred.isEmpty, !isStepDue, !mayFire else { return 0 }
        guard !clock.isTold, let deadline else { return -1 }
        let now = clock.now
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }

    /// A timer that a callback sets waits for the next round, and so does what a long round leaves, so
    /// that frames get their turn.
    private func fireTimers() {
        guard !clock.isTold || mayFire else { return }
        mayFire = false
        let mark = timers.mark
        let (now, start) = (clock.now, clock.steady)
        while let id = timers.takeDue(at: now, setBefore: mark) {
            backgroundTimers.remove(id)
            dispatch("timer", engine.number(Double(id)))
            // Where the host tells the time, what is due together goes off together: nothing else waits.
            guard clock.isTold || clock.steady - start < Self.longestRound else { return }
        }
    }

    /// When there is not even the stack to run `bootstrap.js`.
    private func reportPlainly(_ error: JSValueRef, file: String) {
        hasFailed = true
        send(
            .uncaught(
                UncaughtError(
                    file: file, line: 0, column: 0, message: engine.describe(error), stack: "")))
    }

    private func status(of error: ProtocolSocket.Lost) -> Int32 {
        switch error {
        case .closed: 74
        case .notAFrame: 76
        }
    }
}
