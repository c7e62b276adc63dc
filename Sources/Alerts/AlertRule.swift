public import API
public import Addresses
public import Samples
public import Statistics

/// A checked rule: what is watched, when it fires, and what then happens.
///
/// ```swift
/// var definition = AlertDefinition(sensor: "cpu")
/// (definition.field, definition.window) = ("busy", "5m")
/// (definition.above, definition.clear, definition.hold) = (90, 80, "2m")
/// let rule = try AlertRule("busy", definition)
/// ```
public struct AlertRule: Hashable, Sendable {
    /// What is compared with the threshold.
    public enum Measure: Hashable, Sendable {
        /// A statistic of the samples of a sliding window.
        case statistic(Statistic)
        /// The absolute value of `AnomalyScore`: of the statistic in a window, among the same
        /// statistic in this window and those before it.
        case anomaly(Statistic)
        /// The seconds since the newest sample.
        case silence
    }

    /// What a window without data means.
    public enum MissingPolicy: String, Hashable, Sendable, CaseIterable {
        /// A rule that fires keeps firing, and no other rule fires.
        case keep
        /// As if the condition held.
        case fire
        /// As if the condition did not hold.
        case clear
    }

    /// What happens when a rule fires or resolves.
    public enum Action: Hashable, Sendable {
        /// The owner gets a notice.
        case notify
        /// A server is called; the file has a token on one line.
        case webhook(WebAddress, tokenFile: String?)
        /// A background run of an app is started, only when the rule fires.
        case run(String)
    }

    /// A number that a measure passes, and the one at which it counts as back.
    public struct Threshold: Hashable, Sendable {
        /// The condition holds beyond this number.
        public let limit: Double
        /// A rule that fires resolves when the measure is not beyond this number.
        public let clear: Double
        /// Whether beyond means above.
        public let isUpper: Bool

        /// Whether the condition holds for a measure.
        ///
        /// - Parameter isFiring: whether the rule fires, so that ``clear`` decides.
        func isMet(_ value: Double, isFiring: Bool) -> Bool {
            let bound = isFiring ? clear : limit
            return isUpper ? value > bound : value < bound
        }
    }

    /// The number of microseconds of the longest window, baseline and other duration: 60 days.
    public static let longest: Int64 = 60 * 86_400_000_000
    /// The maximum number of cells of a window, and of windows of a baseline.
    static let cellLimit = 2000
    /// The minimum number of windows of a baseline that have samples.
    static let leastHistory = 12
    /// The shortest time between two evaluations, in microseconds.
    public static let shortestStep: Int64 = 5_000_000
    /// The times between two evaluations, in seconds; each divides a day.
    private static let steps: [Int64] = [3600, 1800, 900, 600, 300, 120, 60, 30, 15, 10, 5]
    /// A window is evaluated this many times while it passes once.
    private static let stepsPerWindow: Int64 = 240

    /// Identifies the rule.
    public let name: String
    /// The definition.
    public let definition: AlertDefinition
    /// The sensor.
    public let sensor: SensorID
    /// What is measured.
    public let measure: Measure
    /// The threshold; in seconds for ``Measure/silence``.
    public let threshold: Threshold
    /// What a window without data means.
    public let missing: MissingPolicy
    /// The share of a window for which there must be samples, 0 to 1.
    public let coverage: Double
    /// What happens when it fires or resolves.
    public let actions: [Action]
    /// The time between two evaluations, in microseconds.
    ///
    /// They are at multiples of it since 1970, and it is also the width of a cell.
    public let step: Int64
    /// The number of cells that an evaluation takes into account.
    let cells: Int
    /// How long the condition must hold before the rule fires, in microseconds.
    let hold: Int64
    /// How long the condition must not hold before the rule resolves, in microseconds.
    let clearFor: Int64

    /// Checks a definition, as far as possible without the sensor.
    ///
    /// - Throws: `invalid`.
    public init(_ name: String, _ definition: AlertDefinition) throws(AlertsError) {
        try Self.check(name: name, definition)
        guard let sensor = SensorID(definition.sensor) else {
            throw .invalid(
                "\(definition.sensor.prefix(80).debugDescription) is not a sensor's name.")
        }
        (self.name, self.definition, self.sensor) = (name, definition, sensor)
        missing = try Self.missing(definition)
        (measure, step, cells) = try Self.measure(definition)
        threshold = try Self.threshold(definition, measure)
        hold = try Self.duration("for", definition.hold, 0...Self.longest) ?? 0
        clearFor = try Self.duration("clearFor", definition.clearFor, 0...Self.longest) ?? 0
        coverage = definition.coverage ?? (measure == .statistic(.count) ? 0 : 0.5)
        guard (0...1).contains(coverage) else {
            throw .invalid("coverage is a share from 0 to 1.")
        }
        actions = try Self.actions(definition)
    }

    /// Whether its windows need quantile sketches.
    public var usesSketch: Bool {
        switch measure {
        case .statistic(let statistic), .anomaly(let statistic): statistic.needsSketch
        case .silence: false
        }
    }

    /// One line that says when the rule fires, such as `mean of cpu.busy over 5m is above 90 for 2m`.
    public var summary: String {
        var parts: [String]
        let field = definition.field.map { "\(sensor).\($0)" } ?? "\(sensor)"
        let window = definition.window ?? ""
        switch measure {
        case .silence: parts = ["\(sensor) has no samples for \(definition.silence ?? "")"]
        case .statistic(let statistic):
            parts = ["\(statistic) of \(field) over \(window) is \(thresholdText)"]
        case .anomaly(let statistic):
            parts = [
                "score of \(statistic) of \(field) over \(window) among"
                    + " \(definition.baseline ?? "") is \(thresholdText)"
            ]
        }
        if hold > 0 { parts.append("for \(Duration.microseconds(hold).span)") }
        for condition in definition.conditions ?? [] { parts.append("where \(condition)") }
        if definition.clear != nil {
            parts.append("until \(threshold.isUpper ? "at most" : "at least") \(threshold.clear)")
        }
        return parts.joined(separator: " ")
    }

    private var thresholdText: String {
        "\(threshold.isUpper ? "above" : "below") \(threshold.limit)"
    }

    // MARK: - Checks

    private static func check(
        name: String, _ definition: AlertDefinition
    ) throws(AlertsError) {
        let isName =
            name.utf8.allSatisfy { $0.isLowercaseLetterOrDigit || $0 == UInt8(ascii: "-") }
            && name.first != "-" && (1...64).contains(name.utf8.count)
        guard isName else {
            throw .invalid(
                "The name of a rule has 1 to 64 lower-case letters, digits and hyphens.")
        }
        guard definition.title?.utf8.count ?? 0 <= 200 else {
            throw .invalid("title has at most 200 bytes.")
        }
        let conditions = definition.conditions ?? []
        guard conditions.count <= 16, conditions.allSatisfy({ $0.utf8.count <= 1000 }) else {
            throw .invalid("where has at most 16 conditions of 1000 bytes.")
        }
    }

    private static func missing(
        _ definition: AlertDefinition
    ) throws(AlertsError) -> MissingPolicy {
        guard let text = definition.missing else { return .keep }
        guard let policy = MissingPolicy(rawValue: text) else {
            throw .invalid("missing is keep, fire or clear.")
        }
        return policy
    }

    private static func measure(
        _ definition: AlertDefinition
    ) throws(AlertsError) -> (Measure, step: Int64, cells: Int) {
        if definition.silence != nil { return try silence(definition) }
        guard let statistic = Statistic(definition.statistic ?? "mean") else {
            throw .invalid(
                "\((definition.statistic ?? "").prefix(40).debugDescription) is not a statistic.",
                hint: "There are: \(Statistic.allNames)")
        }
        guard
            let window = try duration("window", definition.window, shortestStep...longest)
        else {
            throw .invalid("A rule has a window such as 5m, or silence.")
        }
        // Summaries have percentiles within 1 % only.
        let approximate = statistic.exactPercent.map { Statistic.approximatePercentile($0) }
        guard let baseline = try duration("baseline", definition.baseline, window...longest)
        else {
            let widest = max(shortestStep, window / stepsPerWindow)
            let fitting = steps.map { $0 * 1_000_000 }.first {
                $0 <= widest && window % $0 == 0
            }
            guard let step = fitting, window / step <= Int64(cellLimit) else {
                throw .invalid(
                    "window must be a multiple of 5s, and a long one a multiple of a longer time.",
                    hint: "Choose a round length, such as 5m, 90m, 1d or 2w.")
            }
            return (.statistic(approximate ?? statistic), step, Int(window / step))
        }
        guard (Int64(leastHistory)...Int64(cellLimit)).contains(baseline / window) else {
            throw .invalid(
                "baseline must be from \(leastHistory) to \(cellLimit) times as long as window.")
        }
        return (.anomaly(approximate ?? statistic), window, Int(baseline / window) + 1)
    }

    private static func silence(
        _ definition: AlertDefinition
    ) throws(AlertsError) -> (Measure, step: Int64, cells: Int) {
        let others: [Any?] = [
            definition.field, definition.statistic, definition.window, definition.baseline,
            definition.above, definition.below, definition.clear, definition.conditions,
            definition.coverage,
        ]
        guard others.allSatisfy({ $0 == nil }) else {
            throw .invalid(
                "A rule with silence has no field, statistic, window, baseline, threshold,"
                    + " coverage or conditions.")
        }
        let limit = try duration("silence", definition.silence, 2 * shortestStep...longest) ?? 0
        let widest = max(shortestStep, limit / 20)
        let step = steps.map { $0 * 1_000_000 }.first { $0 <= widest } ?? shortestStep
        return (.silence, step, 1)
    }

    private static func threshold(
        _ definition: AlertDefinition, _ measure: Measure
    ) throws(AlertsError) -> Threshold {
        var (above, below) = (definition.above, definition.below)
        switch measure {
        case .silence:
            let limit = try duration("silence", definition.silence, 0...longest) ?? 0
            above = Double(limit) / 1_000_000
        case .anomaly:
            guard below == nil else { throw .invalid("The threshold of a score is above.") }
            above = above ?? AnomalyScore.usualThreshold
        case .statistic: break
        }
        guard let limit = above ?? below, above == nil || below == nil, limit.isFinite else {
            below = nil
            throw .invalid("A rule has one threshold: above or below.")
        }
        let clear = definition.clear ?? limit
        guard clear.isFinite, above != nil ? clear <= limit : clear >= limit else {
            throw .invalid(
                above != nil
                    ? "clear must not be above the threshold."
                    : "clear must not be below the threshold.")
        }
        return Threshold(limit: limit, clear: clear, isUpper: above != nil)
    }

    private static func actions(_ definition: AlertDefinition) throws(AlertsError) -> [Action] {
        var actions: [Action] = []
        if definition.notify ?? (definition.webhook == nil && definition.run == nil) {
            actions.append(.notify)
        }
        if let webhook = definition.webhook {
            guard let address = WebAddress(webhook.url) else {
                throw .invalid("The URL of the webhook is not an http or https URL.")
            }
            let reach = address.origin.host.reach
            guard address.origin.scheme == .https || reach == .ownMachine || reach == .ownNetwork
            else {
                throw .invalid(
                    "\(address.origin) is not encrypted: others could read the values.",
                    hint: "Use an address that begins with https://")
            }
            guard webhook.tokenFile?.hasPrefix("/") != false else {
                throw .invalid("The path of the token's file must be absolute.")
            }
            actions.append(.webhook(address, tokenFile: webhook.tokenFile))
        }
        if let app = definition.run {
            guard !app.isEmpty else { throw .invalid("run is the name of an app.") }
            actions.append(.run(app))
        }
        return actions
    }

    private static func duration(
        _ name: String, _ text: String?, _ range: ClosedRange<Int64>
    ) throws(AlertsError) -> Int64? {
        guard let text else { return nil }
        guard let duration = Duration(span: text)?.wholeMicroseconds, range.contains(duration)
        else {
            let bounds = [range.lowerBound, range.upperBound].map {
                Duration.microseconds($0).span
            }
            throw .invalid("\(name) is a duration from \(bounds[0]) to \(bounds[1]), such as 10m.")
        }
        return duration
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
