import Auth
import JSApps
import Samples
import Text

/// The messages that host and policy broker exchange: one line of JSON each; see docs/policy-broker.md.
enum BrokerMessage {
    /// The maximum size of an answer, without its line break.
    static let maximumBytes = 16 * 1024

    /// The question, with its line break.
    ///
    /// - Parameter app: the app that asks; `nil` for a program.
    static func line(_ question: BrokerQuestion, from app: InstalledApp?) -> String {
        var client: [(key: String, value: JSONValue)] = [
            ("name", JSONValue(question.client.name)),
            ("kind", JSONValue(question.client.kind == .app ? "app" : "program")),
        ]
        if let app {
            client.append(("version", JSONValue("\(app.manifest.version)")))
            client.append(
                ("signer", app.signer.map { JSONValue($0.fingerprint) } ?? JSONValue(.null)))
        }
        if let run = question.client.run { client.append(("run", JSONValue(run))) }
        client.append(("background", JSONValue(.bool(!question.client.isForeground))))
        let purpose = app?.manifest.privileges.first { $0.id == question.privilege }?.reason
        let message = JSONValue([
            "version": JSONValue(1), "client": JSONValue(client),
            "privilege": JSONValue(question.privilege.description),
            "purpose": purpose.map { JSONValue($0) } ?? JSONValue(.null),
            "terms": json(question.asked, of: question.privilege),
            "limit": question.limit.map { json($0, of: question.privilege) } ?? JSONValue(.null),
        ])
        return message.line + "\n"
    }

    /// Reads an answer, without its line break.
    ///
    /// An unknown member could be a term that this version would ignore, so it is an error.
    static func answer(_ bytes: [UInt8]) throws(BrokerFault) -> BrokerAnswer {
        guard
            let root = try? StrictJSON(maximumBytes: maximumBytes, maximumDepth: 4).parse(bytes),
            let members = root.object, let name = root["answer"]?.string
        else { throw fault("it is not an object with answer") }
        guard members.allSatisfy({ ["answer", "terms"].contains($0.key) }) else {
            throw fault("it has members other than answer and terms")
        }
        switch (name, root["terms"]) {
        case ("allow", nil): return .allow(BrokerTerms())
        case ("allow", let terms?): return .allow(try Self.terms(terms))
        case ("deny", nil): return .deny
        case ("ask", nil): return .ask
        default: throw fault("answer is allow, deny or ask, and only allow has terms")
        }
    }

    // MARK: - Private

    private static func fault(_ reason: String) -> BrokerFault {
        BrokerFault(.invalidAnswer, "Its answer is invalid: \(reason).")
    }

    private static func json(_ terms: Terms, of privilege: PrivilegeID) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if privilege.sensor != nil { members.append(("access", JSONValue(terms.access.rawValue))) }
        if let rate = terms.maximumRate { members.append(("rate", JSONValue(rate))) }
        if let precision = terms.precision { members.append(("precision", JSONValue(precision))) }
        if let history = terms.history { members.append(("history", JSONValue(history.span))) }
        if let expires = terms.expires {
            members.append(("expires", JSONValue(expires.milliseconds)))
        }
        members.append(("background", JSONValue(.bool(terms.background))))
        return JSONValue(members)
    }

    private static func terms(_ value: JSONValue) throws(BrokerFault) -> BrokerTerms {
        let known = ["access", "rate", "precision", "history", "expires", "background"]
        guard let members = value.object, members.allSatisfy({ known.contains($0.key) }) else {
            throw fault("terms is an object with \(known.joined(separator: ", "))")
        }
        var fields = BrokerTermsFields()
        let access = value["access"].map { $0.string.flatMap(Access.init(rawValue:)) }
        let expires = value["expires"].map {
            $0.number.flatMap { Timestamp(milliseconds: $0.double) }
        }
        guard fields.read({ value[$0] }), access != .some(nil), expires != .some(nil),
            let caveat = Caveat(
                access: access ?? nil, maximumRate: fields.rate, precision: fields.precision,
                history: fields.history, expires: expires ?? nil)
        else { throw fault("a term has an invalid value") }
        return BrokerTerms(caveat, background: fields.background ?? true)
    }
}
