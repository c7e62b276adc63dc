public import Samples
public import Statistics

/// Where the samples of rules come from: a host, or a test.
///
/// The calls take the rule, so that a source can check and record each use of a sensor.
public protocol AlertSource: Sendable {
    /// Whether the sensor and the field of a rule can be read now.
    func input(of rule: AlertRule) async -> AlertInput

    /// Summaries of the rule's field, under its conditions, in adjacent windows.
    ///
    /// - Parameters:
    ///   - range: a whole number of windows.
    ///   - step: the width of a window in microseconds.
    /// - Returns: one summary of one field for each window, in order.
    /// - Throws: `sourceFailed`.
    func windows(
        of rule: AlertRule, in range: TimeRange, every step: Int64
    ) async throws(AlertsError) -> [WindowSummary]

    /// The time of the last sample of the rule's sensor before a time.
    ///
    /// - Throws: `sourceFailed`.
    func newest(of rule: AlertRule, before time: Timestamp) async throws(AlertsError) -> Timestamp?

    /// Records what was read and is not yet recorded.
    func finish() async
}

/// Whether a rule's sensor and field can be read.
public enum AlertInput: Hashable, Sendable {
    /// They can; values have this unit, a UCUM code.
    case readable(unit: String?)
    /// They cannot.
    case missing(AlertState.MissingReason)
}
