import API
public import Addresses
import Foundation
public import Samples

/// Where deliveries go: the notices, servers and apps of a host, or a test.
public protocol AlertChannels: Sendable {
    /// Shows a notice to the owner.
    func notify(_ notice: AlertNotice) async

    /// Calls a server once.
    ///
    /// - Parameters:
    ///   - body: JSON.
    ///   - id: the idempotency key, the same at each attempt.
    /// - Throws: when the server has not accepted it.
    func call(
        _ address: WebAddress, tokenFile: String?, body: [UInt8], id: String
    ) async throws(AlertDeliveryError)

    /// Starts a background run of an app.
    ///
    /// - Throws: when it was not started.
    func run(app: String) async throws(AlertDeliveryError)
}

/// A notice about a rule that has fired or resolved.
public struct AlertNotice: Codable, Hashable, Sendable {
    /// The name of the rule.
    public let rule: String
    /// The title.
    public let title: String
    /// The text.
    public let body: String

    init(rule: String, title: String, body: String) {
        (self.rule, self.title, self.body) = (rule, title, body)
    }

    init?(payload: String) {
        guard let notice = try? JSONDecoder().decode(AlertNotice.self, from: Data(payload.utf8))
        else { return nil }
        self = notice
    }
}

/// Why a delivery was not made.
public struct AlertDeliveryError: Error, Sendable, CustomStringConvertible {
    /// One sentence.
    public let message: String
    /// Whether another attempt would fail, too.
    public let isPermanent: Bool

    /// Creates an error.
    public init(_ message: String, isPermanent: Bool) {
        (self.message, self.isPermanent) = (message, isPermanent)
    }

    public var description: String { message }
}

/// One action for one event of a rule.
///
/// Notices and runs are made at most once: they are marked as started before they are. Calls of servers are
/// made at least once, with the same idempotency key, until the server accepts or refuses them or
/// ``lifetime`` has passed.
public struct AlertDelivery: Hashable, Sendable, Identifiable {
    /// The states.
    public enum State: String, Hashable, Sendable {
        /// It waits for its first or next attempt.
        case waiting
        /// A notice or run is being made.
        case started
        /// It was made.
        case done
        /// It will not be attempted again.
        case failed
        /// The host ended while it was being made.
        case unknown
    }

    /// The kinds of action.
    public enum Kind: String, Hashable, Sendable {
        case notify, webhook, run
    }

    /// How long calls of servers are retried.
    static let lifetime: Int64 = 24 * 3_600_000_000
    /// The wait after the first failed attempt, doubled after each further one up to the longest; in
    /// microseconds.
    private static let (firstWait, longestWait): (Int64, Int64) = (5_000_000, 3_600_000_000)

    /// Also the idempotency key.
    public let id: String
    /// The name of the rule.
    public let rule: String
    /// What is done.
    public let kind: Kind
    /// What is sent: JSON of a notice, the body of a call, or the name of an app.
    let payload: String
    /// When the rule fired or resolved.
    let created: Timestamp
    /// The state.
    public internal(set) var state: State = .waiting
    /// The number of attempts.
    public internal(set) var attempts = 0
    /// The earliest time of the next attempt; `nil` unless it waits.
    public internal(set) var next: Timestamp?
    /// Why the last attempt failed.
    public internal(set) var problem: String?

    /// Whether it is due.
    func isDue(at now: Timestamp) -> Bool {
        guard state == .waiting, let next else { return false }
        // After the clock was set back, the wait must not exceed the longest interval.
        return now >= next || now < next.advanced(byMicroseconds: -Self.longestWait)
    }

    /// Notes a failed attempt.
    ///
    /// - Parameter jitter: 0 to 1; the wait is between half and all of the interval, so that the attempts of
    ///   many deliveries spread.
    mutating func fail(_ error: AlertDeliveryError, at now: Timestamp, jitter: Double) {
        attempts += 1
        problem = error.message
        let isTooOld = now.microseconds - created.microseconds >= Self.lifetime
        guard kind == .webhook, !error.isPermanent, !isTooOld else {
            (state, next) = (.failed, nil)
            return
        }
        let interval = min(Self.firstWait << Int64(min(attempts - 1, 20)), Self.longestWait)
        let wait = Double(interval) * (0.5 + min(max(jitter, 0), 1) / 2)
        next = now.advanced(byMicroseconds: Int64(wait))
    }
}

/// What is sent for a transition of a rule.
struct AlertMessage: Sendable {
    private let rule: AlertRule
    private let transition: AlertState.Transition
    private let unit: String?

    /// - Parameter unit: of the measure, a UCUM code.
    init(_ transition: AlertState.Transition, of rule: AlertRule, unit: String?) {
        (self.rule, self.transition) = (rule, transition)
        // A score has no unit.
        if case .anomaly = rule.measure { self.unit = nil } else { self.unit = unit }
    }

    /// The payload of each action.
    func payloads() throws -> [(AlertDelivery.Kind, String)] {
        var payloads: [(AlertDelivery.Kind, String)] = []
        for action in rule.actions {
            switch action {
            case .notify: payloads.append((.notify, try Self.json(notice)))
            case .webhook: payloads.append((.webhook, try Self.json(call)))
            case .run(let app) where transition.kind == .fired: payloads.append((.run, app))
            case .run: break
            }
        }
        return payloads
    }

    private var notice: AlertNotice {
        let title = rule.definition.title ?? rule.name
        var body = rule.summary
        if rule.measure != .silence {
            body +=
                transition.value.map { "; now \(Self.text($0))\(unit.map { " \($0)" } ?? "")" }
                ?? "; no data"
        }
        if transition.isLastBeforeMuting {
            body +=
                ". It has fired \(AlertState.firingsPerHour) times within an hour; more is not"
                + " reported until it fires less often"
        }
        return AlertNotice(
            rule: rule.name,
            title: transition.kind == .fired ? "\(title) fires" : "\(title) has resolved",
            body: body + ".")
    }

    /// The body of a call.
    private struct Call: Encodable {
        let alert: String
        let title: String?
        let event: String
        let time: Double
        let sensor: String
        let field: String?
        let value: Double?
        let unit: String?
        let above: Double?
        let below: Double?
        let summary: String
    }

    private var call: Call {
        let threshold = rule.threshold
        return Call(
            alert: rule.name, title: rule.definition.title, event: transition.kind.rawValue,
            time: transition.time.milliseconds, sensor: rule.sensor.description,
            field: rule.definition.field, value: transition.value,
            unit: rule.measure == .silence ? "s" : unit,
            above: threshold.isUpper ? threshold.limit : nil,
            below: threshold.isUpper ? nil : threshold.limit, summary: rule.summary)
    }

    /// At most four significant digits, which are enough to be read.
    private static func text(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return "\(value)" }
        let digits = 3 - Int(log10(abs(value)).rounded(.down))
        guard (0...12).contains(digits) else { return "\(value)" }
        let scale = pow(10, Double(digits))
        let rounded = (value * scale).rounded() / scale
        return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
