package import API
import AppRuns
package import Auth
import Health
import Host
import JSApps
import Provider
package import Samples
import Simulation

/// The privileges that an app used, according to its entries in the access log.
package struct TrialFindings: Encodable {
    /// One privilege that the app used, and the extent of the use.
    package struct Need: Encodable, Equatable {
        package let privilege: String
        /// The operations, such as `latest` or `stats`.
        package let operations: [String]
        package let calls: Int
        /// Samples that were returned, or from which statistics were computed.
        package let samples: Int
        /// Samples per second, if it reads samples.
        package let rate: Double?
        /// The longest time between the start of a call's range and the call, in milliseconds; `nil` if
        /// all calls read an unlimited range or the newest sample.
        package let history: Double?
        /// Whether all calls were refused: the sensor is not simulated, or permission was missing.
        package let refused: Bool
    }

    package let needs: [Need]
    /// Declared privileges that were not used.
    package let unused: [String]

    /// - Parameters:
    ///   - entries: of the app only.
    ///   - declared: the privileges of its manifest.
    ///   - instances: the simulated instances; the use of one that the app does not declare counts as
    ///     the use of its kind.
    ///   - elapsed: the virtual time that it ran.
    package init(
        _ entries: [AccessLogEntry], declared: [Privilege], instances: [SensorID] = [],
        elapsed: Duration
    ) {
        let kinds = Set(instances).subtracting(declared.compactMap(\.id.sensor))
        var groups: [PrivilegeID: [AccessLogEntry]] = [:]
        for entry in entries where entry.kind == .access || entry.kind == .refusal {
            if let used = entry.sensor, let access = entry.access {
                let sensor = kinds.contains(used) ? used.kind : used
                groups[PrivilegeID.sensor(sensor, access), default: []].append(entry)
            } else if let other = entry.privilege.flatMap({ PrivilegeID($0) }) {
                groups[other, default: []].append(entry)
            }
        }
        // Access to samples includes their statistics.
        for id in groups.keys where id.access == .stats {
            guard let sensor = id.sensor else { continue }
            let samples = PrivilegeID.sensor(sensor, .raw)
            guard let rawEntries = groups[samples] else { continue }
            groups[samples] = rawEntries + (groups.removeValue(forKey: id) ?? [])
        }
        let seconds = max(1, Double(elapsed / .milliseconds(1)) / 1000)
        needs = groups.map { id, entries in Need(id, entries, seconds: seconds) }
            .sorted { $0.privilege < $1.privilege }
        unused = declared.map(\.id).filter { id in
            !groups.keys.contains { used in Self.isUsed(id, by: used) }
        }.map(\.description)
    }

    /// Whether a use needed a declared privilege: the same access, and the declared sensor or one of
    /// the declared kind.
    private static func isUsed(_ declared: PrivilegeID, by used: PrivilegeID) -> Bool {
        guard let sensor = declared.sensor, let other = used.sensor else { return declared == used }
        return sensor.covers(other) && declared.access == used.access
    }
}

extension TrialFindings.Need {
    init(_ id: PrivilegeID, _ entries: [AccessLogEntry], seconds: Double) {
        privilege = id.description
        operations = Set(entries.compactMap(\.operation)).sorted()
        calls = entries.reduce(0) { $0 + $1.calls }
        samples = entries.reduce(0) { $0 + $1.count }
        let rawCount = entries.filter { $0.access == .raw }.reduce(0) { $0 + $1.count }
        rate = id.access == .raw ? (Double(rawCount) / seconds * 100).rounded() / 100 : nil
        let spans = entries.compactMap { entry -> Double? in
            guard let from = entry.range?.from, from > .distantPast, from < entry.time else {
                return nil
            }
            return entry.time.milliseconds - from.milliseconds
        }
        history = spans.max().map { $0.rounded() }
        refused = entries.allSatisfy { $0.kind == .refusal }
    }
}

extension AppTester {
    /// A run of the app with all privileges granted.
    package struct Trial: Sendable {
        package let entries: [AccessLogEntry]
        package let result: TestResult
        package let run: RunDescription
        /// Virtual time.
        package let elapsed: Duration
    }

    /// Access log entries per query.
    private static let page = 1000

    /// Runs the app with all sensors and all privileges.
    package func trial(_ settings: Settings) async throws -> Trial {
        try await withHost(settings, includesUndeclared: true) { host in
            let prepared = try await host.services.supervisor.prepare(app: app.name.text)
            let declared = app.manifest.privileges.map(\.id)
            let every = SimulatedDriver.sensors.map { PrivilegeID.sensor($0, .raw) }
            // Granting access to all sessions would hide that an app needs only its own.
            let others = PrivilegeID.others.filter { $0 != .sessions(.read) }
            let health = HealthType.all.flatMap { type in
                HealthAccess.allCases.map { PrivilegeID.health(type, $0) }
            }
            let all = Set(declared + every + others + health)
            try await host.allow(
                all.sorted { $0.description < $1.description }, app, run: prepared.id)
            let controller = host.controller(of: app.manifest, run: prepared.id)
            let run = try await host.services.supervisor.run(
                prepared.id,
                presentation: RunPresentation(lifetime: settings.limit + .milliseconds(1))
            ) { event in await controller.record(event) }
            let passed = host.clock.now.microseconds - host.clock.start.microseconds
            return Trial(
                entries: try await entries(host), result: await controller.result,
                run: RunDescription(run),
                elapsed: .microseconds(passed))
        }
    }

    /// The app's entries in the access log.
    private func entries(_ host: TestHost) async throws -> [AccessLogEntry] {
        var found: [AccessLogEntry] = []
        while true {
            let query = AccessLogQuery(
                client: app.name.text, before: found.last?.id, limit: Self.page)
            let lines = try await host.services.authority.log.entries(query)
            found += lines
            guard lines.count == Self.page else { return found }
        }
    }
}
