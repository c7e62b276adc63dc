import Addresses
import Text

/// Removes from JSON what could be a secret or personal.
///
/// It lists what is kept, not what is removed: numbers, Booleans, and the strings of known members with
/// harmless characters. So a secret in a member that is not known here is removed, too.
///
/// ```swift
/// var redaction = Redaction()
/// let shown = redaction.redacted(configuration)
/// let log = redaction.scrubbed(text)
/// ```
struct Redaction {
    static let mark = "(removed)"

    /// Members whose strings are kept.
    private static let readable: Set<String> = [
        // config.json
        "addresses", "ca", "discoveryPrefix", "host", "libraries", "passwordFile", "pollInterval",
        "privilege", "restAfter", "socket",
        // sensor.json
        "characteristic", "connectTimeout", "every", "form", "format", "from", "id", "kind",
        "report", "scenario",
        "service", "timeout", "unit", "version",
    ]
    /// Members of which nothing is kept, whatever they contain.
    private static let secret: Set<String> = [
        "arguments", "command", "headers", "key", "password", "secret", "token", "username",
    ]
    /// Shorter secrets are not removed from texts, because they also occur there by chance.
    private static let shortestSecret = 5

    /// What was removed as a secret.
    private var secrets: Set<String> = []
    private let home: String?

    /// - Parameter home: the home folder, whose name is replaced by `~`.
    init(home: String? = nil) {
        self.home = home.flatMap { $0.count > 1 ? $0 : nil }
    }

    /// A copy of a value without what could be a secret.
    mutating func redacted(_ value: JSONValue) -> JSONValue {
        redacted(value, member: "", isSecret: false)
    }

    /// A text without the secrets that were removed from values so far, without tokens, and without the
    /// name of the home folder.
    func scrubbed(_ text: String) -> String {
        var text = text
        // The longest first, because one secret can be a part of another.
        for secret in secrets.sorted(by: { ($0.count, $0) > ($1.count, $1) }) {
            text.replace(secret, with: Self.mark)
            text.replace(JSONString.literal(secret).dropFirst().dropLast(), with: Self.mark)
        }
        text.replace(/nv[sc]_[A-Za-z0-9_\-]+/, with: Self.mark)
        if let home { text.replace(home, with: "~") }
        return text
    }

    private mutating func redacted(
        _ value: JSONValue, member: String, isSecret: Bool
    ) -> JSONValue {
        switch value.content {
        case .null, .bool: return value
        case .number(let number):
            guard isSecret else { return value }
            return removed(number.literal)
        case .string(let text):
            if isSecret { return removed(text) }
            if member == "url" { return JSONValue(origin(of: text)) }
            let isHarmless = text.wholeMatch(of: /[A-Za-z0-9_.:\/ %*^\-]{0,200}/) != nil
            guard Self.readable.contains(member), isHarmless else { return JSONValue(Self.mark) }
            return value
        case .array(let items):
            var shown: [JSONValue] = []
            for item in items {
                shown.append(redacted(item, member: member, isSecret: isSecret))
            }
            return JSONValue(shown)
        case .object(let members):
            var shown: [(key: String, value: JSONValue)] = []
            for entry in members {
                let isName = entry.key.wholeMatch(of: /[A-Za-z][A-Za-z0-9_.\-]{0,59}/) != nil
                let hidden = isSecret || Self.secret.contains(entry.key)
                shown.append(
                    (
                        isName ? entry.key : Self.mark,
                        redacted(entry.value, member: entry.key, isSecret: hidden)
                    ))
            }
            return JSONValue(shown)
        }
    }

    private mutating func removed(_ text: String) -> JSONValue {
        if text.count >= Self.shortestSecret { secrets.insert(text) }
        return JSONValue(Self.mark)
    }

    /// A URL without path, query and user.
    private mutating func origin(of url: String) -> String {
        _ = removed(url)
        guard let address = WebAddress(url) else { return Self.mark }
        _ = removed(address.target)
        return "\(address.origin)/…"
    }
}
