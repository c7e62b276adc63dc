import Ingest
import NIOCore
import Samples
import Tracks

/// What was said on one connection to gpsd.
struct GPSDConversation {
    private let connector: GPSDConnector
    private let sink: SampleSink
    private var lines = LineSplitter(limit: GPSDMessage.longestLine)
    private var isGreeted = false
    private var isOpen = false
    private var rest: RestCycle?
    private var mayRest = false

    init(_ connector: GPSDConnector, _ sink: SampleSink) {
        (self.connector, self.sink) = (connector, sink)
        rest = connector.rest
    }

    /// Takes bytes as they come.
    ///
    /// - Returns: whether gpsd has just said what it is, and waits for being asked.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        let before = lines.overlong
        for line in lines.take(bytes) { take(line) }
        if lines.overlong > before { sink.reject(lines.overlong - before) }
        return isGreeted && !isOpen
    }

    /// The way stands.
    mutating func begin() {
        isOpen = true
    }

    /// For how long the receiver is to rest from now on; `nil` where it goes on.
    mutating func takeRest() -> Duration? {
        defer { mayRest = false }
        return mayRest ? rest?.every : nil
    }

    private mutating func take(_ line: [UInt8]) {
        guard let message = GPSDMessage(line, at: .now()) else {
            sink.reject()
            return
        }
        if case .fix(let fix, let device) = message,
            connector.device == nil || connector.device == device
        {
            let isDue = rest?.take(fix) ?? false
            // What came with the fix that let it rest does not wake it, unless it has moved.
            mayRest = isDue || mayRest && rest?.isResting == true
        }
        switch message {
        case .version: isGreeted = true
        case .devices(let devices):
            if devices.isEmpty { sink.warn("\(connector.place) has no receiver.") }
        case .error(let text): sink.warn("\(connector.place) says: \(text).")
        case .fix(let fix, let device) where isWanted(.fix, device):
            sink.take(Reading(fix))
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
    /// A fix, with its time unless another is given; `nil` takes that of arrival.
    init(_ fix: Fix, isOfNow: Bool = false) {
        let pairs = zip(Fix.fields, fix.numbers).map { ($0.name, Value.number($1)) }
        self.init(
            time: isOfNow ? nil : fix.time,
            values: Dictionary(pairs) { first, _ in first })
    }
}

/// When a receiver that stays where it is may rest, and when it is looked at again.
///
/// Its clock is that of the fixes. A look is one fix: at the same place the receiver rests again, at
/// another it is listened to as before.
struct RestCycle: Hashable, Sendable {
    /// Metres within which it has not moved.
    static let radius = 10.0
    /// How long it may have stayed where it is before it rests.
    static let spans = Duration.seconds(60)...Duration.seconds(86_400)
    /// How long it may rest at a time: a route warns of a signal that is gone for 30 s, and so never
    /// notices that it rests.
    static let looks = Duration.seconds(5)...Duration.seconds(25)
    static let standardLook = Duration.seconds(20)

    let after: Duration
    let every: Duration
    /// Where and when it came to where it is.
    private var anchor: Fix?
    /// The fix before; one that is earlier begins anew, since the receiver's clock was put right.
    private var last: Timestamp?
    /// Since when it rests; `nil` unless it does.
    private var resting: Timestamp?

    var isResting: Bool { resting != nil }

    init(after: Duration, every: Duration = standardLook) {
        (self.after, self.every) = (after, every)
    }

    /// Takes a fix.
    ///
    /// - Returns: whether the receiver may rest from now on, until it is looked at again.
    mutating func take(_ fix: Fix) -> Bool {
        let isNext = last.map { fix.time >= $0 } ?? true
        last = fix.time
        guard let anchor, isNext, fix.position.distance(to: anchor.position) < Self.radius else {
            (self.anchor, resting) = (fix, nil)
            return false
        }
        // What was on its way when it was told to rest is no look.
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
