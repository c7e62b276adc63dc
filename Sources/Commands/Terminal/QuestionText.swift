import Addresses
import Auth
import Samples
import Text

/// A question as it stands on the terminal.
///
/// Every line begins with the host's own words, so no text of the package can stand where those do;
/// the first is wholly the host's, after an empty one for whatever stood in the line before. With
/// its answer and two that were none it fits the terminal, if without that empty line.
struct QuestionText {
    /// The smallest terminal on which a question can be put.
    static let smallest = (columns: 40, rows: 10)
    /// From here on nothing has to be left out.
    private static let roomy = (columns: 72, rows: 22)
    private static let widest = 100

    let question: PermissionQuestion
    /// `nil` where it is about something other than a sensor.
    let sensor: SensorID?
    /// The other server, where it is about calls to one.
    let origin: WebOrigin?
    let isRaw: Bool
    let isWrite: Bool
    /// Whether the person can set terms of their own.
    let takesTerms: Bool
    private let width: Int
    private let isRoomy: Bool

    /// - Parameter columns: that may be used.
    /// - Returns: `nil` for what nobody can be asked for yet.
    init?(_ question: PermissionQuestion, columns: Int, rows: Int) {
        let privilege = question.privilege.id
        guard privilege.isGivable else { return nil }
        self.question = question
        sensor = privilege.sensor
        origin = privilege.origin
        isRaw = privilege.access == .raw
        isWrite = privilege.access == .write
        takesTerms = isRaw || privilege.access == .stats
        width = min(columns, Self.widest)
        isRoomy = columns >= Self.roomy.columns && rows >= Self.roomy.rows
    }

    /// The letters that answer it.
    var letters: String { isRaw ? "o/a/s/e/n/v/?" : takesTerms ? "o/a/e/n/v/?" : "o/a/n/v/?" }

    /// What stands before the answer; the last of its lines.
    var prompt: String { isRoomy ? "\(letters)> " : "n no=Enter  v never  ? why> " }

    var lines: [String] {
        isRoomy ? roomy : compact
    }

    /// What it gives, in the host's words.
    var wish: String {
        if let origin { return "to call \(origin)" }
        guard let sensor else { return words.wish }
        if isWrite { return "to publish samples of \(sensor)" }
        return isRaw ? "every sample of \(sensor)" : "statistics of \(sensor), never a sample"
    }

    /// What it wants, with how many sensors that may be, since the person is to choose.
    private var wishOfKind: String {
        question.instances.isEmpty ? wish : "\(wish); of \(question.instances.count) here"
    }

    /// What it tells about the person, in the host's words.
    var revelation: String {
        if let origin { return Self.revelation(of: origin) }
        guard let sensor else { return words.reveals }
        return isWrite
            ? "nothing to the app; others take what it publishes for the sensor's own"
            : SensorFamily(of: sensor).reveals
    }

    /// The same in at most 28 characters.
    private var brief: String {
        if let origin { return Self.brief(of: origin) }
        guard let sensor else { return words.brief }
        return isWrite ? "nothing to the app" : SensorFamily(of: sensor).brief
    }

    /// The app's name where the host speaks of it.
    var name: String { CautiousText.line(of: question.app, width: 64) }

    /// Fields and units, as far as the host knows them: names come from devices.
    var fields: String {
        question.fields.map { field in
            let unit = field.unit.map { " (\($0.escapedForDisplay(limit: 12)))" } ?? ""
            return field.name.escapedForDisplay(limit: 24) + unit
        }.joined(separator: ", ")
    }

    /// The reason, in as many lines as there may be.
    func claim(_ prefix: String, atMost count: Int) -> [String] {
        let reason = question.privilege.reason
        guard !reason.isEmpty else { return [prefix + "none; it gives no reason"] }
        let inner = width - prefix.utf8.count - 2
        let parts = CautiousText.lines(of: reason, width: inner, atMost: count)
        let indent = String(repeating: " ", count: prefix.utf8.count) + "|"
        return parts.enumerated().map { index, part in
            (index == 0 ? prefix + "\"" : indent) + part + (index == parts.count - 1 ? "\"" : "")
        }
    }

    // MARK: - Private

    private var words: PrivilegeWords { PrivilegeWords(question.privilege.id) }

    private var frame: String {
        let head = "-- Nervous asks you (\(question.number) of \(question.count)) "
        return head + String(repeating: "-", count: max(0, width - head.utf8.count))
    }

    private var signer: String {
        let room = width - "Signer:  ".utf8.count
        let name = question.signer.map { CautiousText.line(of: $0, width: room) }
        return "Signer:  " + (name ?? "none, unsigned")
    }

    /// Name and version; the name gives way where there is no room.
    private var app: String {
        let version = CautiousText.line(of: question.version, width: 12)
        let rest = version.isEmpty ? "" : " " + version
        let room = width - "App:     ".utf8.count - CautiousText.columns(of: rest)
        return "App:     " + CautiousText.line(of: question.app, width: room) + rest
    }

    private var compact: [String] {
        let novelty = question.isUpdate || question.isNewcomer ? "Wants, new: " : "Wants:   "
        return [
            "", frame,
            app, signer,
            origin.map { line(question.isUpdate ? "Calls, new: " : "Calls:   ", $0) }
                ?? cut(novelty + wishOfKind),
            "Reveals: " + brief,
        ] + claim("Claims:  ", atMost: 1) + [
            isRaw
                ? "o once  a always  s statistics  e terms"
                : takesTerms ? "o once  a always  e own terms" : "o once  a always"
        ]
    }

    private var roomy: [String] {
        let title = question.title.map {
            ["Title:   \"" + CautiousText.line(of: $0, width: width - 11) + "\""]
        }
        var lines = ["", frame, app] + (title ?? []) + [signer]
        let newness =
            question.isNewcomer
            ? "  (new here since you chose)" : question.isUpdate ? "  (new in this update)" : ""
        lines.append(
            origin.map { line("Wants:   to call ", $0, newness) }
                ?? cut("Wants:   " + wishOfKind + newness))
        if let pin { lines.append(cut("Trusts:  only the certificate \(pin)")) }
        if !fields.isEmpty { lines.append(cut("Fields:  " + fields)) }
        lines += CautiousText.wrapped(
            "Reveals: " + revelation,
            width: width, indent: "         ")
        lines += claim("Claims:  ", atMost: 3)
        let statistics = isRaw ? "s  only statistics, never a sample" : ""
        return lines
            + [
                "",
                "o  allow once, for this run        n  no, not in this run; Enter alone says so",
                "a  allow always                    v  never, and do not ask again",
                (takesTerms
                    ? "e  allow under terms of your own" : "                                ")
                    + "   ?  explain",
            ].map(cut) + (isRaw ? [statistics] : []) + [
                cut("Change it later: nervous permissions \(name)"),
                String(repeating: "-", count: width),
            ]
    }

    private func line(_ head: String, _ origin: WebOrigin, _ tail: String = "") -> String {
        head + origin.shown(columns: width - head.utf8.count - tail.utf8.count) + tail
    }

    private func cut(_ line: String) -> String {
        CautiousText.cut(line, width: width)
    }
}

extension QuestionText {
    /// What the answers mean, for who asks before they answer.
    func explanation(columns: Int) -> [String] {
        let statistics =
            isRaw
            ? [
                "only statistics: means, counts and the like of five samples or more, kept until you"
                    + " change it."
            ] : []
        let terms =
            takesTerms
            ? [
                "own terms: how many samples a second, how finely, how far back, until when, and"
                    + " whether also when nobody watches."
            ] : []
        let choice =
            question.instances.isEmpty
            ? []
            : [
                "\(question.instances.count) sensors fit. After your letter you choose which of them"
                    + " it may use."
            ]
        let calls =
            origin == nil
            ? []
            : [
                "The host makes these calls for it, to this server alone: where an answer leads"
                    + " elsewhere it goes on only if that is allowed, too."
            ]
        let paragraphs =
            [
                "\(name) would get \(wish)" + (fields.isEmpty ? "." : ": \(fields)."),
                isWrite
                    ? "It learns nothing by that. Others take what it publishes for the sensor's own."
                    : "That can reveal \(revelation).",
            ] + choice + calls + [
                "It gets it through this host alone, and every use is listed by:"
                    + " nervous log \(name)",
                "once: until this run ends.", "always: until you change it.",
            ] + statistics + terms + [
                "no: not in this run. After \(Refusal.limit) of these it is not asked again.",
                "never: refused until you change it.",
                "To change it: nervous permissions \(name)",
                "To be asked again: nervous permissions reset \(name)",
            ]
        return paragraphs.flatMap { CautiousText.wrapped($0, width: columns, indent: "  ") }
            + claim("Claims:  ", atMost: 40)
    }
}

/// What calls to other servers tell about the person, in the host's words.
extension QuestionText {
    static func revelation(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .nowhere:
            "all that it may read here, which it can send there; the server also learns your address"
        case .ownNetwork:
            "what a device in your own network tells, and it may do what the app says"
        case .ownMachine:
            "what a program on this machine tells, and it may do what the app says"
        }
    }

    /// The same in at most 28 characters.
    static func brief(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .nowhere: "all it may read can go there"
        case .ownNetwork: "a device in your own network"
        case .ownMachine: "a program on this machine"
        }
    }

    /// The certificate that the package names for the server.
    var pin: CertificatePin? {
        guard case .net(_, let pin) = question.privilege.resource else { return nil }
        return pin
    }
}
