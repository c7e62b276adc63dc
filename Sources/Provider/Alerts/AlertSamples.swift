import API
public import Alerts
public import Auth
import LAE
public import Samples
public import Scheduling
public import Statistics
public import VM

/// Reads samples for alert rules, as the owner: each read has a grant and is in the access log.
public struct AlertSamples: AlertSource {
    private let authority: Authority
    private let machine: VirtualMachine
    private let queries: StandingQueries
    private let operation: String
    private let isHistory: Bool

    /// - Parameters:
    ///   - operation: its name in the access log.
    ///   - isHistory: whether recorded samples are read, whatever has become of the sensor.
    public init(
        _ machine: VirtualMachine, authority: Authority, as operation: String = "alert",
        isHistory: Bool = false, time: any TimeSource = .system
    ) {
        (self.authority, self.machine, self.operation) = (authority, machine, operation)
        self.isHistory = isHistory
        queries = StandingQueries(machine, as: operation, log: authority.log, time: time)
    }

    public func input(of rule: AlertRule) async -> AlertInput {
        guard let status = await machine.status(of: rule.sensor) else {
            return .missing(.sensorRemoved)
        }
        var unit: String?
        if let name = rule.definition.field {
            guard
                let field = status.sensor.fields.first(where: {
                    $0.name == name && $0.kind.isNumeric
                })
            else { return .missing(.fieldRemoved) }
            unit = field.unit
        }
        guard !isHistory else { return .readable(unit: unit) }
        if status.level == .off { return .missing(.sensorOff) }
        // A device that was unplugged is silent; one that was never there is not.
        if case .unavailable = status.state, !status.hasSamples {
            return .missing(.sensorUnavailable)
        }
        return .readable(unit: unit)
    }

    public func windows(
        of rule: AlertRule, in range: TimeRange, every step: Int64
    ) async throws(AlertsError) -> [WindowSummary] {
        do {
            return try await summaries(of: rule, in: range, every: step)
        } catch {
            throw Self.failure(error)
        }
    }

    public func newest(
        of rule: AlertRule, before time: Timestamp
    ) async throws(AlertsError) -> Timestamp? {
        do {
            return try await queries.newest(before: time, for: grant(for: rule))
        } catch let error as LAEError where error.code == .unavailable {
            return nil
        } catch {
            throw Self.failure(error)
        }
    }

    public func finish() async { await queries.finish() }

    /// Checks that the field and the conditions of a rule exist.
    ///
    /// - Throws: `LAEError`, `AuthError`.
    func check(_ rule: AlertRule, now: Timestamp) async throws {
        _ = try await summaries(
            of: rule,
            in: TimeRange(from: now.advanced(byMicroseconds: -rule.step), to: now),
            every: rule.step)
    }

    // MARK: - Private

    private func summaries(
        of rule: AlertRule, in range: TimeRange, every step: Int64
    ) async throws -> [WindowSummary] {
        var conditions: [Condition] = []
        for text in rule.definition.conditions ?? [] {
            conditions.append(try Condition(parsing: text))
        }
        guard let field = await field(of: rule) else {
            let query = SummaryQuery(sensor: rule.sensor, fields: [], range: range, step: step)
            return Array(repeating: WindowSummary(query), count: query.windowCount)
        }
        return try await queries.summaries(
            StandingQueries.Query(
                field: field, range: range, step: step, hasSketch: rule.usesSketch,
                conditions: conditions), for: grant(for: rule))
    }

    /// The field whose samples count; for silence, any numeric one.
    private func field(of rule: AlertRule) async -> String? {
        if let field = rule.definition.field { return field }
        return await machine.sensor(rule.sensor)?.mainField?.name
    }

    private func grant(for rule: AlertRule) async throws(AuthError) -> Grant {
        try await authority.checkApp(
            token: authority.ownerToken.text, name: nil,
            requested: AccessRequest(operation, of: rule.sensor, .stats))
    }

    private static func failure(_ error: any Error) -> AlertsError {
        let message = (error as? LAEError)?.message ?? (error as? AuthError)?.message
        return AlertsError(.sourceFailed, message ?? "\(error)", cause: error)
    }
}
