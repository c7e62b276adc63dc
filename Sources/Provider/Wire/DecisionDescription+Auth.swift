public import API
import AppStorage
public import Auth
import Samples

extension DecisionDescription {
    /// - Parameters:
    ///   - policy: what overrules grants.
    ///   - isForOwner: whether to include a grant that the policy overrules, the policy's file, and
    ///     the sensors that were not chosen; other clients see `denied` instead of such a grant,
    ///     and neither the file nor the sensors. Of a decision that is hidden from clients, they see a
    ///     grant.
    init(_ record: PermissionRecord, _ policy: Policy, isForOwner: Bool = true) {
        let granted = record.terms.flatMap { terms in
            record.privilege.sensor.map { PrivilegeID.sensor($0, terms.access) }
        }
        let file =
            record.terms == nil
            ? nil : policy.restriction(of: granted ?? record.privilege)?.file
        let isHidden = file != nil && !isForOwner
        guard isForOwner || !record.privilege.hidesDenial || !isHidden && record.terms != nil else {
            self.init(
                client: record.client, privilege: record.privilege.description,
                state: PermissionRecord.State.granted.rawValue,
                terms: TermsDescription(Terms(access: .raw), isForOwner: false),
                once: record.run != nil, decided: record.decided.milliseconds)
            return
        }
        self.init(
            client: record.client, privilege: record.privilege.description,
            state: (isHidden ? PermissionRecord.State.denied : record.state).rawValue,
            terms: isHidden
                ? nil : record.terms.map { TermsDescription($0, isForOwner: isForOwner) },
            once: record.run != nil, decided: record.decided.milliseconds,
            restrictedBy: isForOwner ? file : nil)
    }

    /// A privilege that the owner is not asked for again, as if it were denied.
    init(_ denials: DenialCount) {
        self.init(
            client: denials.client, privilege: denials.privilege.description,
            state: PermissionRecord.State.denied.rawValue, once: false,
            decided: denials.last.milliseconds, refusals: denials.count)
    }
}

extension DecisionList {
    init(_ items: [DecisionDescription], _ policy: Policy) {
        let lines = policy.restrictions.map { Restricted(privilege: $0.privilege, file: $0.file) }
        self.init(items: items, restricted: lines.isEmpty ? nil : lines)
    }
}

extension TermsDescription {
    /// The terms of a stored decision.
    ///
    /// - Parameter isForOwner: whether to include the sensors that were not chosen.
    public init(_ terms: Terms, isForOwner: Bool = true) {
        self.init(
            access: terms.access.rawValue, rate: terms.maximumRate, precision: terms.roundings.last,
            history: terms.history?.span, expires: terms.expires?.milliseconds,
            background: terms.background, only: terms.only?.chosen.map(\.description),
            excluded: isForOwner ? terms.only?.excluded.map(\.description) : nil)
    }

    /// The terms without the choice of sensors, which is checked separately against the sensors
    /// that exist.
    ///
    /// - Throws: `Problem` when a member is out of its range.
    func terms() throws -> Terms {
        guard let access = Access(rawValue: access) else {
            throw Problem.invalidBody("access must be raw, stats or write.")
        }
        guard access != .write || rate == nil && precision == nil && history == nil else {
            throw Problem.invalidBody("rate, precision and history are for reading.")
        }
        for (name, number) in [("rate", rate), ("precision", precision)] {
            guard let number else { continue }
            guard number.isFinite, number > 0 else {
                throw Problem.invalidBody("\(name) must be a number above zero.")
            }
        }
        let span = try history.map { text in
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidBody("history must be a duration such as 1h.")
            }
            return span
        }
        let end = try expires.map { milliseconds in
            guard let end = Timestamp(milliseconds: milliseconds) else {
                throw Problem.invalidBody("expires must be milliseconds since 1970.")
            }
            return end
        }
        return Terms(
            access: access, maximumRate: rate, precision: precision, history: span, expires: end,
            background: background ?? true)
    }
}

extension DecisionRequest {
    /// The names of the chosen sensors and, if given, of the excluded ones; `nil` for all sensors.
    ///
    /// - Throws: `Problem` for a contradiction, or a choice in a denial.
    func choice() throws -> (chosen: [String], excluded: [String]?)? {
        guard only == nil || terms?.only == nil else {
            throw Problem.invalidBody("only must be given once: in the terms or beside them.")
        }
        let isOfTerms = terms?.only != nil
        let others = isOfTerms ? terms?.excluded : excluded
        guard let chosen = only ?? terms?.only else {
            guard excluded == nil, terms?.excluded == nil else {
                throw Problem.invalidBody("excluded requires only.")
            }
            return nil
        }
        guard decision != "deny", decision != "deny-once" else {
            throw Problem.invalidBody("only is for grants; deny each of the other sensors.")
        }
        return (chosen, others)
    }

    /// - Throws: `Problem` if it is not a decision.
    func checked() throws -> Decision {
        guard run != nil || !decision.hasSuffix("-once") else {
            throw Problem.invalidBody("\(decision) needs a run.")
        }
        return switch (decision, terms) {
        case ("allow-once", nil): .allowOnce
        case ("allow-always", nil): .allowAlways
        case ("statistics-only", nil): .statisticsOnly
        case ("deny-once", nil): .denyOnce
        case ("deny", nil): .deny
        case ("allow", let terms?): .allow(try terms.terms())
        default:
            throw Problem.invalidBody(
                "decision must be allow-once, allow-always, statistics-only, deny-once, deny,"
                    + " or allow with terms.")
        }
    }
}

extension RequestDescription {
    init(_ request: PendingRequest) {
        self.init(
            client: request.app, privilege: request.privilege.description,
            reveals: request.privilege.disclosure, run: request.run,
            asked: request.asked.milliseconds, waiting: request.waiting)
    }
}

extension TokenItem {
    init(_ record: TokenRecord) {
        self.init(
            name: record.client.name, owner: record.client.kind == .owner,
            created: record.created.milliseconds, expires: record.expires?.milliseconds)
    }
}

extension AccessLogItem {
    init(_ entry: AccessLogEntry) {
        self.init(
            id: entry.id, time: entry.time.milliseconds, kind: entry.kind.rawValue,
            client: entry.client, clientKind: entry.clientKind?.rawValue,
            privilege: entry.privilege, sensor: entry.sensor?.description,
            access: entry.access?.rawValue, operation: entry.operation,
            from: entry.range?.from.bounded?.milliseconds,
            to: entry.range?.to.bounded?.milliseconds, calls: entry.calls, count: entry.count,
            outcome: entry.outcome?.rawValue, reason: entry.reason,
            detail: entry.reason == nil ? entry.detail : nil)
    }
}

extension AccessLogHead {
    init(
        _ head: (id: Int64, hash: String), cut: Int? = nil, bytes: Int64? = nil,
        budget: Int64? = nil
    ) {
        self.init(line: head.id, hash: head.hash, cut: cut, bytes: bytes, budget: budget)
    }
}

extension AccessLogVerdict {
    /// The result of a verification.
    public init(_ report: AccessLogReport) {
        self.init(
            intact: report.isIntact, lines: report.entryCount, cut: report.prunedCount,
            first: report.first?.milliseconds, last: report.last?.milliseconds, head: report.head,
            expected: report.containsExpected, line: report.fault?.entry,
            fault: report.fault?.message, sealed: report.sealedCount,
            checkpoint: report.checkpoint?.rawValue)
    }
}

extension AccessLogSeal {
    init(_ status: AccessLogSealStatus?) {
        guard let status else {
            self.init(sealed: false)
            return
        }
        self.init(
            sealed: true, since: status.since.milliseconds, first: status.first,
            signer: status.signer,
            checkpoint: status.checkpoint.map {
                Checkpoint(line: $0.entry, time: $0.time.milliseconds)
            })
    }
}

extension NoticeItem {
    init(_ notice: Notice) {
        let time = notice.time.milliseconds
        switch notice.content {
        case .message(let message):
            self.init(
                kind: "message", time: time, app: message.app, run: message.run,
                title: message.title, body: message.body, tag: message.tag)
        case .alert(let title, let body, let rule):
            self.init(kind: "alert", time: time, title: title, body: body, tag: rule)
        case .refusal(let message, let operation):
            self.init(kind: "refusal", time: time, title: message, operation: operation)
        }
    }
}
