import Ingest
import NIOCore
import Samples
import Tracks

/// The state of one connection to gpsd.
struct GPSDConversation {
    private let connector: GPSDConnector
    private let sink: SampleSink
    private var lines = LineSplitter(limit: GPSDMessage.longestLine)
    private var isGreeted = false
    private var isOpen = false
    private var rest: RestCycle?
    private var maySuspend = false

    init(_ connector: GPSDConnector, _ sink: SampleSink) {
        (self.connector, self.sink) = (connector, sink)
        rest = connector.rest
    }

    /// Processes received bytes.
    ///
    /// - Returns: whether gpsd has greeted and waits for the request.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        let before = lines.overlong
        for line in lines.take(bytes) { take(line) }
        if lines.overlong > before { sink.reject(lines.overlong - before) }
        return isGreeted && !isOpen
    }

    /// Marks the request as sent.
    mutating func begin() {
        isOpen = true
    }

    /// How long to suspend the receiver from now on; `nil` to continue.
    mutating func takeRest() -> Duration? {
        defer { maySuspend = false }
        return maySuspend ? rest?.every : nil
    }

    private mutating func take(_ line: [UInt8]) {
        guard let message = GPSDMessage(line, at: .now()) else {
            sink.reject()
            return
        }
        if case .fix(let fix, _, let device) = message,
            connector.device == nil || connector.device == device
        {
            let isDue = rest?.take(fix) ?? false
            // Further fixes that were received together do not cancel the suspension, unless they show a
            // movement.
            maySuspend = isDue || maySuspend && rest?.isResting == true
        }
        switch message {
        case .version: isGreeted = true
        case .devices(let devices):
            if devices.isEmpty { sink.warn("\(connector.sourceName) has no receiver.") }
        case .error(let text): sink.warn("\(connector.sourceName) reported: \(text).")
        case .fix(let fix, let hasTime, let device) where isWanted(.fix, device):
            sink.take(
                Reading(fix, usesArrivalTime: !hasTime, receiverTime: hasTime ? fix.time : nil))
        case .fix(let fix, true, let device) where isWanted(.time, device):
            sink.take { arrival in Reading(timeOf: fix, at: arrival) }
        case .satellites(let used, let visible, let device) where isWanted(.satellites, device):
            sink.take(
                Reading(values: [
                    "used": .integer(Int64(used)), "visible": .integer(Int64(visible)),
                ]))
        case .fix, .noFix, .satellites, .other: break
        }
    }

    private func isWanted(_ report: GPSDConnector.Report, _ device: String?) -> Bool {
        guard report == connector.report else { return false }
        return connector.device == nil || connector.device == device
    }
}

extension Reading {
    /// The values of a fix.
    ///
    /// - Parameters:
    ///   - usesArrivalTime: whether to use the arrival time instead of the time of the fix.
    ///   - receiverTime: the time that the receiver reported, which is the value `gpsTime`; `nil` if it
    ///     reported none.
    init(_ fix: Fix, usesArrivalTime: Bool, receiverTime: Timestamp?) {
        let pairs = zip(Fix.fields, fix.numbers).map { ($0.name, Value.number($1)) }
        var values = Dictionary(pairs) { first, _ in first }
        if let receiverTime { values["gpsTime"] = .number(receiverTime.seconds) }
        self.init(time: usesArrivalTime ? nil : fix.time, values: values)
    }

    /// The time of a fix, and its delay until it arrived.
    fileprivate init(timeOf fix: Fix, at arrival: Timestamp) {
        let delay = Double(fix.time.duration(to: arrival).wholeMicroseconds) / 1e6
        self.init(values: ["gpsTime": .number(fix.time.seconds), "delay": .number(delay)])
    }
}

extension Timestamp {
    /// Seconds since 1970.
    fileprivate var seconds: Double { Double(microseconds) / 1e6 }
}

/// Decides when a stationary receiver is suspended, and when its position is checked again.
///
/// All times are those of the fixes, not of the machine's clock. A check takes one fix: if it is at the same
/// place, the receiver is suspended again, otherwise it stays active.
struct RestCycle: Hashable, Sendable {
    /// The radius in metres within which the receiver counts as stationary.
    static let radius = 10.0
    /// The allowed values of ``after``.
    static let spans = Duration.seconds(60)...Duration.seconds(86_400)
    /// The allowed values of ``every``: a route warns after 30 s without a signal, so it never
    /// notices a suspended receiver.
    static let checkIntervals = Duration.seconds(5)...Duration.seconds(25)
    static let standardCheckInterval = Duration.seconds(20)

    /// How long the receiver must be stationary.
    let after: Duration
    /// How long it is suspended between two checks.
    let every: Duration
    /// The first fix at the current place.
    private var anchor: Fix?
    /// The time of the last fix; an earlier fix restarts the cycle, since the clock was corrected.
    private var last: Timestamp?
    /// When it was suspended; `nil` while active.
    private var resting: Timestamp?

    var isResting: Bool { resting != nil }

    init(after: Duration, every: Duration = standardCheckInterval) {
        (self.after, self.every) = (after, every)
    }

    /// Processes a fix.
    ///
    /// - Returns: whether the receiver is to be suspended now.
    mutating func take(_ fix: Fix) -> Bool {
        let isNext = last.map { fix.time >= $0 } ?? true
        last = fix.time
        guard let anchor, isNext, fix.position.distance(to: anchor.position) < Self.radius else {
            (self.anchor, resting) = (fix, nil)
            return false
        }
        // A fix that was under way when the receiver was suspended is not a check.
        if let resting, elapsed(from: resting, to: fix.time) < every / 2 { return false }
        guard elapsed(from: anchor.time, to: fix.time) >= after else { return false }
        resting = fix.time
        return true
    }

    private func elapsed(from start: Timestamp, to end: Timestamp) -> Duration {
        let (span, overflow) = end.microseconds.subtractingReportingOverflow(start.microseconds)
        return .microseconds(overflow ? .max : span)
    }
}
