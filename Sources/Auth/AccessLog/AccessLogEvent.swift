public import Addresses
public import Health
public import Samples

/// An event of the access log other than a call.
///
/// ```swift
/// await authority.log.note(.installed("load-watch", version: "1.2.0"))
/// ```
public struct AccessLogEvent: Hashable, Sendable {
    let kind: AccessLogEntry.Kind
    let client: String?
    let privilege: String?
    let detail: String?
    let clientKind: AccessLogEntry.ClientKind?
    let count: Int

    private init(
        _ kind: AccessLogEntry.Kind, _ client: String? = nil, privilege: String? = nil,
        _ detail: String? = nil, clientKind: AccessLogEntry.ClientKind? = nil, count: Int = 0
    ) {
        self.kind = kind
        self.client = client
        self.privilege = privilege
        self.detail = detail
        self.clientKind = clientKind
        self.count = count
    }

    static func decided(_ record: PermissionRecord, by decider: Decider) -> AccessLogEvent {
        let isGranted = record.state == .granted
        let terms = record.terms?.logText
        let run = record.run.map { "for run \($0)" }
        let name = decider == .broker ? "by: broker" : nil
        let detail = [terms, run, name].compactMap { $0 }.joined(separator: ", ")
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
            case .app, .client: client.run.map { "of \($0)" }
            }
        return AccessLogEvent(.tokenCreated, client.name, detail)
    }

    static func tokenRevoked(_ client: String) -> AccessLogEvent {
        AccessLogEvent(.tokenRevoked, client)
    }

    /// A step of the download of a package.
    ///
    /// - Parameters:
    ///   - step: what happened, such as `started`, with the URL; never its query or credentials.
    ///   - bytes: how much was received.
    public static func download(
        from server: WebOrigin, for client: Client, _ step: String, bytes: Int = 0
    ) -> AccessLogEvent {
        AccessLogEvent(
            .download, client.name, privilege: "net:\(server)", step, clientKind: client.logKind,
            count: bytes)
    }

    /// An app was installed, or updated.
    ///
    /// - Parameter replacing: the version before.
    public static func installed(
        _ app: String, version: String, replacing: String? = nil
    ) -> AccessLogEvent {
        guard let replacing else { return AccessLogEvent(.installed, app, version) }
        return AccessLogEvent(.updated, app, "\(replacing) to \(version)")
    }

    /// An app was uninstalled.
    public static func uninstalled(_ app: String) -> AccessLogEvent {
        AccessLogEvent(.uninstalled, app)
    }

    /// A run was started.
    public static func runBegan(of app: String, run: String) -> AccessLogEvent {
        AccessLogEvent(.runBegan, app, run)
    }

    /// A run has ended.
    ///
    /// - Parameter outcome: a few words.
    public static func runEnded(of app: String, run: String, outcome: String) -> AccessLogEvent {
        AccessLogEvent(.runEnded, app, "\(run): \(outcome)")
    }

    /// An app violated its confinement, the protocol or its budget.
    ///
    /// Each has an entry of its own, so the caller limits their number in a run.
    public static func violation(of app: String, run: String, what: String) -> AccessLogEvent {
        AccessLogEvent(.violation, app, "\(run): \(what)")
    }

    /// The owner removed samples of a sensor.
    ///
    /// - Parameter what: how many samples of which time range; never a value.
    public static func forgotten(_ sensor: SensorID, what: String) -> AccessLogEvent {
        AccessLogEvent(.forgotten, privilege: "sensor:\(sensor)", what)
    }

    /// The owner removed health data.
    ///
    /// - Parameters:
    ///   - type: the type; `nil` for every type.
    ///   - what: how much of which time range; never a value.
    public static func forgotten(_ type: HealthType?, what: String) -> AccessLogEvent {
        AccessLogEvent(.forgotten, privilege: type.map { "health:\($0)" } ?? "health", what)
    }

    /// The owner removed the data about an app.
    public static func forgotten(app: String) -> AccessLogEvent {
        AccessLogEvent(.forgotten, app)
    }

    /// The log could not be sealed any more.
    static func sealBroken(_ reason: String) -> AccessLogEvent {
        AccessLogEvent(.sealBroken, nil, reason)
    }

    /// A checkpoint was made.
    static func checkpoint(of entry: Int64, hash: String) -> AccessLogEvent {
        AccessLogEvent(.checkpoint, nil, hash, count: Int(entry))
    }

    /// The host was started.
    public static func hostStarted(version: String) -> AccessLogEvent {
        AccessLogEvent(.hostStarted, nil, version)
    }

    /// The host was stopped.
    public static let hostStopped = AccessLogEvent(.hostStopped)
}

extension InstanceChoice {
    fileprivate var logText: String {
        chosen.map(\.description).joined(separator: " ")
    }
}

extension Terms {
    /// The terms, named as in the API.
    fileprivate var logText: String {
        var parts = [access.rawValue]
        if let maximumRate { parts.append("rate \(maximumRate)") }
        if let precision { parts.append("precision \(precision)") }
        if let history { parts.append("history \(history.span)") }
        if let expires { parts.append("until \(expires)") }
        if !background { parts.append("not in the background") }
        if let only { parts.append("only \(only.logText)") }
        return parts.joined(separator: ", ")
    }
}
