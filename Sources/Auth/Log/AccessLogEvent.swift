public import Samples

/// Something that belongs into the access log and is no use of a sensor.
public struct AccessLogEvent: Hashable, Sendable {
    let kind: AccessLogEntry.Kind
    let client: String?
    let privilege: String?
    let detail: String?

    private init(
        _ kind: AccessLogEntry.Kind, _ client: String? = nil, privilege: String? = nil,
        _ detail: String? = nil
    ) {
        self.kind = kind
        self.client = client
        self.privilege = privilege
        self.detail = detail
    }

    static func decided(
        _ record: PermissionRecord
    ) -> AccessLogEvent {
        let isGranted = record.state == .granted
        let terms = record.terms?.logText
        let run = record.run.map { "for run \($0)" }
        let detail = [terms, run].compactMap { $0 }.joined(separator: ", ")
        return AccessLogEvent(
            isGranted ? .granted : .denied, record.client,
            privilege: record.privilege.description, detail.isEmpty ? nil : detail)
    }

    static func reset(_ privilege: PrivilegeID, of client: String) -> AccessLogEvent {
        AccessLogEvent(.reset, client, privilege: privilege.description)
    }

    static func tokenCreated(_ client: Client) -> AccessLogEvent {
        let detail: String? =
            switch client.kind {
            case .owner: "of an owner"
            case .app: client.run.map { "of \($0)" }
            case .client: nil
            }
        return AccessLogEvent(.tokenCreated, client.name, detail)
    }

    static func tokenRevoked(_ client: String) -> AccessLogEvent {
        AccessLogEvent(.tokenRevoked, client)
    }

    /// - Parameter replacing: the version that was there before.
    public static func installed(
        _ app: String, version: String, replacing: String? = nil
    ) -> AccessLogEvent {
        guard let replacing else { return AccessLogEvent(.installed, app, version) }
        return AccessLogEvent(.updated, app, "\(replacing) to \(version)")
    }

    public static func uninstalled(_ app: String) -> AccessLogEvent {
        AccessLogEvent(.uninstalled, app)
    }

    public static func runBegan(of app: String, run: String) -> AccessLogEvent {
        AccessLogEvent(.runBegan, app, run)
    }

    /// - Parameter outcome: how it ended, in a few words.
    public static func runEnded(of app: String, run: String, outcome: String) -> AccessLogEvent {
        AccessLogEvent(.runEnded, app, "\(run): \(outcome)")
    }

    /// What an app did that its confinement, the protocol or its budget forbids; at most a few a run,
    /// since each has a line of its own.
    public static func violation(of app: String, run: String, what: String) -> AccessLogEvent {
        AccessLogEvent(.violation, app, "\(run): \(what)")
    }

    /// - Parameter what: how much of which time, without any value.
    public static func forgotten(_ sensor: SensorID, what: String) -> AccessLogEvent {
        AccessLogEvent(.forgotten, privilege: "sensor:\(sensor)", what)
    }

    public static func forgotten(app: String) -> AccessLogEvent {
        AccessLogEvent(.forgotten, app)
    }

    public static func hostStarted(version: String) -> AccessLogEvent {
        AccessLogEvent(.hostStarted, nil, version)
    }

    public static let hostStopped = AccessLogEvent(.hostStopped)
}

extension InstanceChoice {
    fileprivate var logText: String {
        chosen.map(\.description).joined(separator: " ")
    }
}

extension Terms {
    /// The terms in the words of the API.
    fileprivate var logText: String {
        var parts = [access.rawValue]
        if let maximumRate { parts.append("rate \(maximumRate)") }
        if let precision { parts.append("precision \(precision)") }
        if let history { parts.append("history \(history)") }
        if let expires { parts.append("until \(expires)") }
        if !background { parts.append("not in the background") }
        if let only { parts.append("only \(only.logText)") }
        return parts.joined(separator: ", ")
    }
}
