import AppStorage
import Samples
import Scheduling
import Text

/// A refused use of a privilege, for the owner; the client gets another hint.
public struct Refusal: Hashable, Sendable {
    /// What was refused.
    public let privilege: PrivilegeID
    /// Why, as a sentence.
    public let message: String
    /// How the owner can allow it.
    public let hint: String?
}

/// Turns refused calls into errors, and records each in the access log; invalid tokens are also
/// posted as notices.
///
/// Owned by `Authority`; its functions run on that actor.
final class RefusalReporter {
    /// The maximum number of invalid tokens within a minute that are reported individually.
    private static let attemptLimit = 10

    /// The maximum number of privileges of a run whose refusals are reported to a watcher.
    private static let watchLimit = 16

    private struct Watcher {
        let refusals: AsyncStream<Refusal>.Continuation
        var reported: Set<PrivilegeID> = []
    }

    private let log: AccessLog
    private let notices: NoticeBoard
    private let time: any TimeSource
    private var attempts = RateLimiter<Timestamp>(RefusalReporter.attemptLimit, per: .seconds(60))
    private var hasReportedExcess = false
    private var watchers: [String: Watcher] = [:]

    init(log: AccessLog, notices: NoticeBoard, time: any TimeSource) {
        self.log = log
        self.notices = notices
        self.time = time
    }

    /// The refusals in a run, one for each privilege; ends an earlier stream of the run.
    func watch(_ run: String) -> AsyncStream<Refusal> {
        let (stream, refusals) = AsyncStream.makeStream(
            of: Refusal.self, bufferingPolicy: .bufferingOldest(Self.watchLimit))
        unwatch(run)
        watchers[run] = Watcher(refusals: refusals)
        return stream
    }

    func unwatch(_ run: String) {
        watchers.removeValue(forKey: run)?.refusals.finish()
    }

    private func notifyWatcher(
        of client: Client, _ privilege: PrivilegeID, _ message: String, hint: String?
    ) {
        guard let run = client.run, let watcher = watchers[run],
            watcher.reported.count < Self.watchLimit,
            watchers[run]?.reported.insert(privilege).inserted == true
        else { return }
        watcher.refusals.yield(Refusal(privilege: privilege, message: message, hint: hint))
    }

    // MARK: - Tokens

    /// Reports an unknown token; beyond the rate limit, reports only once that there are too many.
    ///
    /// - Parameter request: the use of a sensor for which the token was sent, if any.
    nonisolated(nonsending) func unknownToken(
        _ message: String, _ request: AccessRequest?, operation: String, hint: String? = nil
    ) async -> AuthError {
        guard let wait = attempts.admit(at: time.now()) else {
            hasReportedExcess = false
            return await wrongToken(
                .invalidToken, message, client: nil, request, operation: operation, hint: hint)
        }
        let message = "More than \(Self.attemptLimit) invalid tokens were sent within a minute."
        // Guessing must not fill the log either.
        if !hasReportedExcess {
            hasReportedExcess = true
            await report(message, client: nil, request, operation: operation)
        }
        return AuthError(
            .tooManyAttempts, message, hint: "Wait, then use a valid token.", retryAfter: wait)
    }

    /// Reports a token that is missing, unknown or another client's.
    nonisolated(nonsending) func wrongToken(
        _ code: AuthError.Code, _ message: String, client: Client?, _ request: AccessRequest?,
        operation: String, hint: String? = nil
    ) async -> AuthError {
        if request?.isContinuation != true {
            await report(message, client: client, request, operation: operation)
        }
        return AuthError(
            code, message,
            hint: hint ?? "Create a token with: nervous token create NAME --allow sensor:ID",
            clientHint: hint == nil ? "Ask the owner for a token." : nil)
    }

    /// Reports a call that is reserved for the owner.
    nonisolated(nonsending) func notOwner(
        _ client: Client, operation: String
    ) async -> AuthError {
        let error = AuthError(
            .ownerOnly, "Only the owner may do this; the token belongs to \(client.name).",
            hint: "Create an owner's token with: nervous token create NAME --owner",
            clientHint: "Ask the owner to do it.")
        await log.refuse(nil, operation: operation, client: client, reason: error.message)
        return error
    }

    // MARK: - Permissions

    /// Reports the refused use of a sensor, after a verdict other than `granted`.
    ///
    /// - Parameters:
    ///   - denial: the decision that denies another access to the sensor.
    ///   - isFinal: whether the owner is not asked again.
    nonisolated(nonsending) func refuse(
        _ request: AccessRequest, _ client: Client, after verdict: PermissionTable.Verdict,
        denial: PrivilegeID?, isFinal: DenialCount?
    ) async -> AuthError {
        let name = client.name
        let wanted = request.privilege
        var hint: String? = "Allow it with: nervous permissions grant \(name) \(wanted)"
        let code: AuthError.Code
        let message: String
        switch verdict {
        case .notChosen(let privilege, let chosen):
            let mine = chosen.filter(request.sensor.covers)
            guard mine.isEmpty else { return await several(mine, request, client) }
            code = .denied
            message =
                "You did not choose \(request.sensor) when you allowed \(privilege) to \(name)."
        case .statisticsOnly:
            code = .statisticsOnly
            message = "\(name) may read only statistics of \(request.sensor)."
        default:
            (code, message, hint) = Self.text(
                wanted, name, verdict, denial: denial, isFinal: isFinal)
        }
        await log.refuse(
            request, operation: request.operation, client: client, reason: message)
        notifyWatcher(of: client, wanted, message, hint: hint)
        return AuthError(
            code, message, hint: hint, clientHint: Self.request(for: wanted, after: verdict),
            privilege: wanted)
    }

    /// Reports the refused use of a kind of which a client may read several sensors.
    nonisolated(nonsending) func several(
        _ sensors: [SensorID], _ request: AccessRequest, _ client: Client
    ) async -> AuthError {
        let error = AuthError(
            several: sensors, named: request.sensor, for: client, privilege: request.privilege)
        await log.refuse(
            request, operation: request.operation, client: client, reason: error.message)
        return error
    }

    /// Reports the refused use of a privilege that is not for a sensor, after a verdict other than
    /// `granted`.
    ///
    /// - Parameter isFinal: the denials because of which the owner is not asked again.
    nonisolated(nonsending) func refuse(
        _ privilege: PrivilegeID, _ client: Client, operation: String,
        after verdict: PermissionTable.Verdict, isFinal: DenialCount?
    ) async -> AuthError {
        let (code, message, hint) = Self.text(
            privilege, client.name, verdict, denial: nil, isFinal: isFinal)
        return await refuse(
            privilege, client, operation: operation, code, message, hint: hint,
            clientHint: Self.request(for: privilege, after: verdict))
    }

    /// Reports the refused use of a privilege that is not for a sensor.
    nonisolated(nonsending) func refuse(
        _ privilege: PrivilegeID, _ client: Client, operation: String, _ code: AuthError.Code,
        _ message: String, hint: String?, clientHint: String? = nil
    ) async -> AuthError {
        await log.refuse(
            nil, operation: operation, client: client, privilege: privilege, reason: message)
        // Without a hint of its own, the client has the owner's already.
        if clientHint != nil { notifyWatcher(of: client, privilege, message, hint: hint) }
        return AuthError(
            code, message, hint: hint, clientHint: clientHint, privilege: privilege)
    }

    /// Reports the use of a privilege that the app's manifest does not declare.
    ///
    /// The error is the same whether a sensor exists or not, so that an app does not learn which do.
    ///
    /// - Parameters:
    ///   - request: the use, if it is of a sensor.
    ///   - declared: what the app declares, of which one may have been meant.
    nonisolated(nonsending) func undeclared(
        _ privilege: PrivilegeID, _ client: Client, _ request: AccessRequest? = nil,
        operation: String, declared: [PrivilegeID]
    ) async -> AuthError {
        let message = "\(client.name) does not declare \(privilege) in its package.json."
        await log.refuse(
            request, operation: operation, client: client, privilege: privilege, reason: message)
        let wanted = privilege.description
        let meant = declared.map(\.description).filter {
            $0.utf8.editDistance(to: wanted.utf8, countsExchanges: true) <= 2
        }
        let hint =
            meant.first.map { "Did you mean \($0), which it declares?" }
            ?? "Add it to the privileges, with a reason."
        return AuthError(.undeclared, message, hint: hint, privilege: privilege)
    }

    /// Reports the use of something other than a sensor with a narrowed token.
    nonisolated(nonsending) func narrowed(_ client: Client, operation: String) async -> AuthError {
        let error = AuthError(
            .denied,
            "The token of \(client.name) was narrowed, and only sensors can be used with it.",
            hint: Self.narrowedHint)
        await log.refuse(nil, operation: operation, client: client, reason: error.message)
        return error
    }

    // MARK: - Private

    private static let narrowedHint = "Ask whoever gave you this token for a wider one."

    /// What a client asks the owner for.
    private static func request(
        for privilege: PrivilegeID, after verdict: PermissionTable.Verdict
    ) -> String {
        switch verdict {
        case .restricted: "Ask the owner: only another policy would allow it."
        case .narrowed: narrowedHint
        case .notInBackground(let decided):
            "Ask the owner to allow \(decided) in the background, too."
        case .granted, .denied, .statisticsOnly, .notChosen, .undecided:
            "Ask the owner to allow \(privilege)."
        }
    }

    private static func text(
        _ privilege: PrivilegeID, _ name: String, _ verdict: PermissionTable.Verdict,
        denial: PrivilegeID?, isFinal: DenialCount?
    ) -> (AuthError.Code, message: String, hint: String) {
        let grant = "Allow it with: nervous permissions grant \(name) \(privilege)"
        switch verdict {
        case .denied(let denied):
            // A grant replaces only the denial of the same privilege.
            let isOwn = denied == privilege
            return (
                .denied, "You have denied \(denied) to \(name).",
                isOwn
                    ? grant : "Remove the denial with: nervous permissions reset \(name) \(denied)"
            )
        case .narrowed:
            return (
                .denied, "The token of \(name) was narrowed, and does not include \(privilege).",
                narrowedHint
            )
        case .restricted:
            // The path of the policy file is private.
            return (
                .restricted, "\(name) may not use \(privilege): it is blocked by policy.",
                "Show the policy with: nervous permissions"
            )
        case .notInBackground(let decided):
            return (
                .notInBackground,
                "\(name) may use \(decided) only while you watch it; this run is in the background.",
                "Allow it with: nervous permissions grant \(name) \(decided) --background"
            )
        case .granted, .statisticsOnly, .notChosen, .undecided:
            if let denial { return (.denied, "You have denied \(denial) to \(name).", grant) }
            if let isFinal {
                return (
                    .denied,
                    "You have denied \(isFinal.privilege) to \(name) twice and are not asked again.",
                    "To be asked again: nervous permissions reset \(name)"
                )
            }
            return (.undecided, "\(name) has no permission for \(privilege).", grant)
        }
    }

    nonisolated(nonsending) private func report(
        _ message: String, client: Client?, _ request: AccessRequest?, operation: String
    ) async {
        await log.refuse(
            request, operation: operation, client: client, reason: message, isNotice: true)
        await notices.post(refusal: message, operation: operation)
    }
}
