import Ingest
import NIOCore
import Samples
import Scheduling
import Text
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
    private var receivers = ReceiverState()
    /// The last dilutions of precision of each receiver; gpsd reports them apart from the fixes.
    private var dilutions: [String: Dilutions] = [:]

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
        let arrival = connector.time.now()
        guard let message = GPSDMessage(line, at: arrival) else {
            sink.reject()
            return
        }
        switch message {
        case .version: isGreeted = true
        case .devices(let devices): report { $0.hasReceiver = !devices.isEmpty }
        case .device(_, let isActive): if isActive { report { $0.hasReceiver = true } }
        case .error(let text): report { $0.error = text }
        case .fix(let fix, let quality, let hasTime, let device) where isOf(device):
            let isDateRight = !hasTime || DateError(of: fix.time, at: arrival) == nil
            report {
                $0.hasReceiver = true
                guard hasTime else { return }
                $0.dates[device ?? ""] = DateError(of: fix.time, at: arrival)
            }
            take(
                hasTime && isDateRight ? fix : fix.moved(to: arrival), quality,
                hasTime: hasTime && isDateRight, receiverTime: hasTime ? fix.time : nil, device)
        case .satellites(let used, let visible, let dilutions, let device) where isOf(device):
            self.dilutions[device ?? ""] = dilutions
            guard connector.report == .satellites else { return }
            sink.take(
                Reading(values: [
                    "used": .integer(Int64(used)), "visible": .integer(Int64(visible)),
                ]))
        case .dilutions(let dilutions, let device) where isOf(device):
            self.dilutions[device ?? ""] = dilutions
        case .fix, .noFix, .satellites, .dilutions, .other: break
        }
    }

    /// - Parameters:
    ///   - fix: has the time of its sample.
    ///   - hasTime: whether that is the receiver's time, and not that of arrival.
    private mutating func take(
        _ fix: Fix, _ quality: FixQuality, hasTime: Bool, receiverTime: Timestamp?,
        _ device: String?
    ) {
        let isDue = rest?.take(fix) ?? false
        // Further fixes that were received together do not cancel the suspension, unless they show a
        // movement.
        maySuspend = isDue || maySuspend && rest?.isResting == true
        switch connector.report {
        case .fix:
            sink.take(Reading(fix, usesArrivalTime: !hasTime, receiverTime: receiverTime))
        case .quality:
            sink.take(
                Reading(
                    quality, accuracy: fix.accuracy, dilutions[device ?? ""],
                    time: hasTime ? fix.time : nil))
        case .time:
            guard let receiverTime else { return }
            sink.take { arrival in Reading(timeOf: receiverTime, at: arrival) }
        case .satellites: break
        }
    }

    /// Changes what is known of the receivers, and reports the problem that follows from it if that changed.
    private mutating func report(_ change: (inout ReceiverState) -> Void) {
        let before = receivers.problem(of: connector.sourceName)
        change(&receivers)
        let after = receivers.problem(of: connector.sourceName)
        if after != before { sink.warn(after) }
    }

    private func isOf(_ device: String?) -> Bool {
        connector.device == nil || connector.device == device
    }
}

/// What gpsd has said about its receivers, and the problem that follows from it.
private struct ReceiverState {
    var hasReceiver = true
    /// The last error message.
    var error: String?
    /// Wrong dates, by the receiver that reports them.
    var dates: [String: DateError] = [:]

    func problem(of source: String) -> String? {
        if !hasReceiver { return "\(source) has no receiver." }
        if let error { return "\(source) reported: \(error)." }
        guard let (device, date) = dates.min(by: { $0.key < $1.key }) else { return nil }
        let receiver =
            device.isEmpty
            ? "the receiver" : "the receiver \(device.escapedForDisplay(limit: 60))"
        return
            "\(source): \(receiver) reports the date \(date.day), \(date.meaning); its positions "
            + "are stored with the time at which they arrive. If the date of this machine is the wrong "
            + "one, set its clock."
    }
}

/// A time of a receiver that cannot be that of the fix: gpsd forwards fixes as they are measured.
///
/// Receivers count weeks modulo 1024 (2048 and 8192 in newer signals), so those that do not know in which of
/// these periods they are report dates 1024 weeks off: IS-GPS-200, 20.3.3.3.1.1.
struct DateError: Hashable, Sendable {
    /// The largest difference from the time of arrival that is a delay or an inaccurate clock.
    static let tolerance = Duration.seconds(60)
    /// 1024 weeks in days.
    private static let period: Int64 = 1024 * 7
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// The date, `2003-07-28`.
    let day: String
    /// How the date differs, as a clause.
    let meaning: String

    /// - Returns: `nil` for a time that is right.
    init?(of time: Timestamp, at arrival: Timestamp) {
        let (span, overflow) = time.microseconds.subtractingReportingOverflow(arrival.microseconds)
        guard overflow || span.magnitude > UInt64(Self.tolerance.wholeMicroseconds) else {
            return nil
        }
        day = String(time.description.prefix { $0 != "T" })
        let days = Int64((Double(span) / Double(Self.microsecondsPerDay)).rounded())
        let periods = Int64((Double(days) / Double(Self.period)).rounded())
        let direction = span > 0 ? "ahead" : "behind"
        meaning =
            if periods != 0, abs(days - periods * Self.period) <= 1 {
                "\(1024 * abs(periods)) weeks \(direction), as after a rollover of the GPS week number "
                    + "(newer firmware of the receiver may correct it)"
            } else if days != 0 {
                "\(abs(days)) \(abs(days) == 1 ? "day" : "days") \(direction)"
            } else {
                "\(abs(span / 1_000_000)) seconds \(direction)"
            }
    }
}

extension Fix {
    /// The same position at another time.
    fileprivate func moved(to time: Timestamp) -> Fix {
        Fix(
            time: time, position: position, altitude: altitude, accuracy: accuracy, speed: speed,
            heading: heading)
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
    fileprivate init(timeOf fix: Timestamp, at arrival: Timestamp) {
        let delay = Double(fix.duration(to: arrival).wholeMicroseconds) / 1e6
        self.init(values: ["gpsTime": .number(fix.seconds), "delay": .number(delay)])
    }

    /// The values of ``GPSDConnector/qualityFields``, those that are unknown as in ``Tracks/Fix/numbers``.
    fileprivate init(
        _ quality: FixQuality, accuracy: Double?, _ dilutions: Dilutions?, time: Timestamp?
    ) {
        let numbers = [
            "accuracy": accuracy, "altitudeAccuracy": quality.altitudeError,
            "speedAccuracy": quality.speedError, "headingAccuracy": quality.headingError,
            "climbAccuracy": quality.climbError, "hdop": dilutions?.horizontal,
            "vdop": dilutions?.vertical, "pdop": dilutions?.position,
        ].mapValues { Value.number($0 ?? Fix.unknown) }
        self.init(
            time: time,
            values: numbers.merging([
                "mode": .integer(Int64(quality.mode)),
                // Any number is a vertical speed, so an unknown one is as far out of range as the altitude.
                "climb": .number(quality.climb ?? Fix.unknownAltitude),
            ]) { $1 })
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
