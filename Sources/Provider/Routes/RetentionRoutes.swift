import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import Samples
import VM

/// Storage and retention, for the owner.
struct RetentionRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine

    func add(to routes: inout RouteTable) {
        routes.on(.retention, [.get: report, .put: setAll])
        routes.on(.retention(of: "{sensor}"), [.put: setRule, .delete: removeRule])
    }

    @Sendable
    private func report(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("retention", request, context)
        return try await .json(description())
    }

    private func description() async throws -> StorageDescription {
        let log = authorizer.authority.log
        // The report counts what is in the file.
        await machine.flush()
        return StorageDescription(
            try await machine.retention.report(),
            StorageDescription.AccessLog(
                bytes: try await log.size(), budget: await log.budget,
                keeps: AccessLog.minimumAge.span))
    }

    @Sendable
    private func setAll(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-retention", request, context)
        let body = try await request.json(RetentionRequest.self)
        guard body.budget != nil || body.standard != nil else {
            throw Problem.invalidBody("budget or standard is required.")
        }
        let rule = try body.standard?.rule()
        if let budget = body.budget {
            guard budget >= Retention.leastBudget else {
                throw Problem.invalidBody("budget must be at least \(Retention.leastBudget).")
            }
            try await machine.retention.setBudget(budget)
        }
        if let rule { try await machine.retention.setRule(rule, for: nil) }
        return try await .json(description())
    }

    @Sendable
    private func setRule(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-retention", request, context)
        let rule = try await request.json(RetentionDescription.self).rule()
        try await machine.retention.setRule(rule, for: request.sensor(context))
        return try .json(RetentionDescription(rule))
    }

    @Sendable
    private func removeRule(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("set-retention", request, context)
        try await machine.retention.setRule(nil, for: request.sensor(context))
        return Response(status: .noContent)
    }
}

extension StorageDescription {
    init(_ report: StorageReport, _ log: AccessLog) {
        let clients = report.clients.map { client in
            Client(client: client.client, bytes: client.bytes, share: client.share)
        }
        self.init(
            sensors: report.sensors.map(Sensor.init), clients: clients.isEmpty ? nil : clients,
            standard: RetentionDescription(report.standard), bytes: report.bytes,
            reusable: report.reusable, budget: report.budget, free: report.free,
            shrinks: report.canShrink, accessLog: log)
    }
}

extension StorageDescription.Sensor {
    init(_ sensor: SensorStorage) {
        self.init(
            sensor: sensor.sensor.description, rule: RetentionDescription(sensor.rule),
            samples: sensor.samples, bytes: sensor.bytes, summarised: sensor.summarised,
            summaries: sensor.summaries, oldest: sensor.oldest?.milliseconds,
            bytesPerDay: sensor.bytesPerDay, daysLeft: sensor.daysLeft)
    }
}

extension RetentionDescription {
    init(_ rule: RetentionRule) {
        self.init(raw: rule.raw?.span, bytes: rule.bytes, summaries: rule.summaries?.span)
    }

    /// - Throws: `Problem` for a member that is not a duration, or is negative.
    func rule() throws -> RetentionRule {
        func span(_ name: String, _ text: String?) throws -> Duration? {
            try text.map { text in
                guard let span = Duration(span: text) else {
                    throw Problem.invalidBody("\(name) must be a duration such as 30d.")
                }
                return span
            }
        }
        if let bytes, bytes < 0 { throw Problem.invalidBody("bytes must not be negative.") }
        return RetentionRule(
            raw: try span("raw", raw), bytes: bytes, summaries: try span("summaries", summaries))
    }
}

extension ForgetDescription {
    /// - Parameters:
    ///   - derived: what was forgotten of the sensors that are computed from it; `nil` unless requested.
    ///   - sessions: the imported sessions that were deleted.
    ///   - kept: the data that still reveals the forgotten samples, besides the access log.
    init(
        _ receipt: ForgetReceipt, uploads: Int, derived: [ForgetReceipt]? = nil,
        sessions: [String]? = nil, kept: [String]
    ) {
        self.init(
            sensor: receipt.sensor.description, from: receipt.range.from.bounded?.milliseconds,
            to: receipt.range.to.bounded?.milliseconds, time: receipt.time.milliseconds,
            samples: receipt.samples, summaries: receipt.summaries,
            summarised: receipt.summarised, partialHours: receipt.partialHours,
            unreadable: receipt.unreadable, bytes: receipt.bytes, erased: receipt.isErased,
            uploads: uploads,
            derived: derived?.map {
                Derived(
                    sensor: $0.sensor.description, samples: $0.samples, summaries: $0.summaries,
                    bytes: $0.bytes, erased: $0.isErased)
            }, sessions: sessions, kept: ["access-log"] + kept)
    }
}

extension DamagedRange {
    /// The maximum number of ranges of an answer; the last one covers all that follow.
    static let limit = 16

    init(_ range: TimeRange, of sensor: SensorID?) {
        self.init(
            sensor: sensor?.description, from: range.from.bounded?.milliseconds,
            to: range.to.bounded?.milliseconds)
    }

    /// - Returns: `nil` for none.
    static func list(_ ranges: [TimeRange], of sensor: SensorID? = nil) -> [DamagedRange]? {
        ranges.isEmpty
            ? nil : ranges.joined(atMost: limit).map { DamagedRange($0, of: sensor) }
    }

    /// - Returns: `nil` for none.
    static func list(_ ranges: [SensorID: [TimeRange]]) -> [DamagedRange]? {
        let all = ranges.sorted { $0.key < $1.key }.flatMap { list($1, of: $0) ?? [] }
        return all.isEmpty ? nil : all
    }
}

extension [TimeRange] {
    /// The value of the header field for damaged ranges, such as
    /// `2026-03-01T12:00:00.250000Z/..`: half-open intervals, with `..` for an open end.
    ///
    /// - Returns: `nil` for none.
    var damageField: String? {
        guard !isEmpty else { return nil }
        return joined(atMost: DamagedRange.limit).map { range in
            [range.from, range.to].map { $0.bounded?.description ?? ".." }.joined(separator: "/")
        }.joined(separator: ", ")
    }
}

extension Timestamp {
    /// `nil` for the open end of a range.
    var bounded: Timestamp? {
        self == .distantPast || self == .distantFuture ? nil : self
    }
}
