import Auth
import Samples

/// What an app has used, from the lines that it left in the access log.
struct TrialFindings: Encodable {
    /// One privilege that it needs, and how much of it.
    struct Need: Encodable, Equatable {
        let privilege: String
        /// What was asked for, such as `latest` or `stats`.
        let operations: [String]
        let calls: Int
        /// Samples that it was given, or that went into statistics.
        let samples: Int
        /// Samples a second, where it reads single ones.
        let rate: Double?
        /// Milliseconds before the call that it looked back at most; `nil` where it took all there was, or
        /// only what is newest.
        let history: Double?
        /// Whether it was refused, because the sensor is not simulated or the app may not.
        let refused: Bool
    }

    let needs: [Need]
    /// What is declared and was never used.
    let unused: [String]

    /// - Parameters:
    ///   - entries: of the app alone.
    ///   - declared: what its manifest asks for.
    ///   - elapsed: how long it ran, of its own time.
    init(_ entries: [AccessLogEntry], declared: [Privilege], elapsed: Duration) {
        var groups: [PrivilegeID: [AccessLogEntry]] = [:]
        for entry in entries where entry.kind == .access || entry.kind == .refusal {
            if let sensor = entry.sensor, let access = entry.access {
                groups[PrivilegeID(sensor: sensor, access: access), default: []].append(entry)
            } else if let other = entry.privilege.flatMap({ PrivilegeID($0) }) {
                groups[other, default: []].append(entry)
            }
        }
        // Who reads single samples may read their statistics as well.
        for id in groups.keys where id.access == .stats {
            guard let sensor = id.sensor else { continue }
            let samples = PrivilegeID(sensor: sensor, access: .raw)
            guard let single = groups[samples] else { continue }
            groups[samples] = single + (groups.removeValue(forKey: id) ?? [])
        }
        let seconds = max(1, Double(elapsed / .milliseconds(1)) / 1000)
        needs = groups.map { id, entries in Need(id, entries, seconds: seconds) }
            .sorted { $0.privilege < $1.privilege }
        unused = declared.map(\.id).filter { id in
            !groups.keys.contains { used in Self.isUsed(id, by: used) }
        }.map(\.description)
    }

    /// Whether a declared privilege is what a use needed, and not more than that.
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
        let single = entries.filter { $0.access == .raw }.reduce(0) { $0 + $1.count }
        rate = id.access == .raw ? (Double(single) / seconds * 100).rounded() / 100 : nil
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
