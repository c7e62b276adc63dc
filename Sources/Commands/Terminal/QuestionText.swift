import Addresses
import Auth
import Samples
import Sealing
import Text

/// The text of a prompt.
///
/// Every line begins with words of the host, so text from the package cannot imitate a prompt. An empty line
/// comes first, in case the cursor is not at the start of a line; the line after it contains no text of the
/// package. Apart from the empty line, the prompt fits the terminal together with two invalid answers and a
/// valid one.
struct QuestionText {
    /// The minimum size of a terminal.
    static let smallest = (columns: 40, rows: 10)
    /// The size from which the full form is used.
    private static let full = (columns: 72, rows: 22)
    /// The rows from which the small form names each answer in full.
    private static let rowsForAnswers = 12
    private static let widest = 100

    let question: PermissionQuestion
    /// `nil` if it is not about a sensor.
    let sensor: SensorID?
    /// The server, if it is about calls to one.
    let origin: WebOrigin?
    /// The start of the name of a secret.
    private let secret: String?
    let isRaw: Bool
    let isWrite: Bool
    /// Whether the owner can set terms.
    let takesTerms: Bool
    private let width: Int
    private let isFull: Bool
    private let namesAnswers: Bool

    /// - Parameter columns: the usable columns.
    /// - Returns: `nil` for a privilege that cannot be granted.
    init?(_ question: PermissionQuestion, columns: Int, rows: Int) {
        let privilege = question.privilege.id
        guard privilege.isGrantable else { return nil }
        self.question = question
        sensor = question.onlyInstance ?? privilege.sensor
        origin = privilege.origin
        if case .secret(let name, _) = privilege {
            secret = String(name.description.prefix(20))
        } else {
            secret = nil
        }
        isRaw = privilege.access == .raw
        isWrite = privilege.access == .write
        takesTerms = isRaw || privilege.access == .stats
        width = min(columns, Self.widest)
        isFull = columns >= Self.full.columns && rows >= Self.full.rows
        namesAnswers = rows >= Self.rowsForAnswers
    }

    /// The letters that answer it.
    var letters: String { isRaw ? "o/a/s/e/n/v/?" : takesTerms ? "o/a/e/n/v/?" : "o/a/n/v/?" }

    /// The last line, before the answer.
    var prompt: String {
        isFull || namesAnswers ? "\(letters)> " : "n deny=Enter  v always deny  ?> "
    }

    var lines: [String] {
        isFull ? full : compact
    }

    /// The use that the app requests, in the host's words.
    var request: String {
        guard let sensor, let access = question.privilege.id.access else { return words.request }
        return PrivilegeWords(.sensor(sensor, access)).request
    }

    /// The request, with the number of sensors to choose from.
    private var requestOfKind: String {
        question.instances.isEmpty ? request : "\(request); of \(question.instances.count) here"
    }

    /// The information that it can reveal, in the host's words.
    private var disclosure: String { question.privilege.id.disclosure }

    /// The app's name in the host's text.
    var name: String { CautiousText.line(of: question.app, width: 64) }

    /// Fields and units, escaped: names come from devices.
    var fields: String {
        question.fields.map { field in
            let word = Format.unitWord(field.unit)?.escapedForDisplay(limit: 24)
            let unit = word.map { " (\($0))" } ?? ""
            return field.name.escapedForDisplay(limit: 24) + unit
        }.joined(separator: ", ")
    }

    /// The reason in a limited number of lines.
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

    /// Name and version; the name is truncated first.
    private var app: String {
        let version = CautiousText.line(of: question.version, width: 12)
        let rest = version.isEmpty ? "" : " " + version
        let room = width - "App:     ".utf8.count - CautiousText.columns(of: rest)
        return "App:     " + CautiousText.line(of: question.app, width: room) + rest
    }

    private var compact: [String] {
        let novelty = question.isUpdate || question.isNewSensor ? "Wants, new: " : "Wants:   "
        return [
            "", frame,
            app, signer,
            origin.map { server in
                let calls = question.isUpdate ? "Calls, new: " : "Calls:   "
                return line(secret.map { "Secret:  \($0) at " } ?? calls, server)
            }
                ?? cut(novelty + requestOfKind),
            "Reveals: " + question.privilege.id.briefRevelation,
        ] + claim("Claims:  ", atMost: 1) + compactAnswers
    }

    private var compactAnswers: [String] {
        guard namesAnswers else {
            return [
                isRaw
                    ? "o once  a always  s stats  e limits"
                    : takesTerms ? "o once  a always  e with limits" : "o once  a always"
            ]
        }
        let limits = takesTerms ? "e With limits" : ""
        return ["o Allow once            a Always allow"]
            + (isRaw ? ["s Statistics only       " + limits] : takesTerms ? [limits] : [])
            + ["n Deny this time=Enter  v Always deny"]
    }

    private var full: [String] {
        let title = question.title.map {
            ["Title:   \"" + CautiousText.line(of: $0, width: width - 11) + "\""]
        }
        var lines = ["", frame, app] + (title ?? []) + [signer]
        let newness =
            question.isNewSensor
            ? "  (new here since you chose)" : question.isUpdate ? "  (new in this update)" : ""
        lines.append(
            origin.map { server in
                let use = secret.map { "to use your secret \($0) at " } ?? "to call "
                return line("Wants:   " + use, server, newness)
            }
                ?? cut("Wants:   " + requestOfKind + newness))
        if let pin { lines.append(cut("Trusts:  only the certificate \(pin)")) }
        if !fields.isEmpty { lines.append(cut("Fields:  " + fields)) }
        lines += CautiousText.wrapped(
            "Reveals: " + disclosure,
            width: width, indent: "         ")
        lines += claim("Claims:  ", atMost: 3)
        let statistics = isRaw ? "s  Statistics only, never a sample" : ""
        return lines
            + [
                "",
                "o  Allow once, for this run        n  Deny this time (default: Enter)",
                "a  Always allow                    v  Always deny, and do not ask again",
                (takesTerms
                    ? "e  With limits of your own      " : "                                ")
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
    /// The help of a prompt.
    func explanation(columns: Int) -> [String] {
        let statistics =
            isRaw
            ? [
                "Statistics only: means, counts and so on of five samples or more, until you change"
                    + " it."
            ] : []
        let terms =
            takesTerms
            ? [
                "With limits: samples per second, precision, how far back, until when, and whether"
                    + " also in the background."
            ] : []
        let choice =
            question.instances.isEmpty
            ? []
            : [
                "\(question.instances.count) sensors match. After your answer you choose which of them"
                    + " it may use."
            ]
        let calls =
            origin == nil
            ? []
            : [
                "The host makes these calls for the app, to this server only. It follows redirects only"
                    + " to servers that are also allowed."
            ]
        let summary = [
            "\(name) would get \(request)" + (fields.isEmpty ? "." : ": \(fields)."),
            "That \(isWrite ? "reveals" : "can reveal") \(disclosure).",
        ]
        let access = [
            "It has access only through this host, and every use is logged: nervous log \(name)",
            "Allow once: until this run ends.", "Always allow: until you change it.",
        ]
        let change = [
            "Deny this time: for this run. After \(DenialCount.limit) denials you are not asked again.",
            "Always deny: until you change it.",
            "To change it: nervous permissions \(name)",
            "To be asked again: nervous permissions reset \(name)",
        ]
        // One sum of all of them takes Swift 6.2 too long to type-check.
        let paragraphs = [summary, choice, calls, access, statistics, terms, change].joined()
        return paragraphs.flatMap { CautiousText.wrapped($0, width: columns, indent: "  ") }
            + claim("Claims:  ", atMost: 40)
    }
}

extension QuestionText {
    /// The pinned certificate of the server.
    var pin: CertificatePin? {
        guard case .net(_, let pin) = question.privilege.resource else { return nil }
        return pin
    }
}
