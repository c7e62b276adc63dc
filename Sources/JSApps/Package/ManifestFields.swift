import Auth
import Text

/// The object of a `package.json`, asked for one field at a time.
struct ManifestFields {
    private let root: JSONValue
    private let members: [String: JSONValue]

    init(_ root: JSONValue) throws(JSAppsError) {
        guard let object = root.object else {
            throw .badManifest(at: root.position, "the manifest must be an object")
        }
        self.root = root
        members = Dictionary(
            object.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func name() throws(JSAppsError) -> AppName {
        let value = try required("name")
        guard let text = value.string, let name = AppName(text) else {
            throw .badManifest(
                at: value.position, "name must be a word in kebab-case of up to 64 characters",
                hint: "Use a–z and 0–9, words joined by ‘-’, such as ‘step-counter’.")
        }
        return name
    }

    /// A name as a published app has it; `nil` where it is empty or missing.
    func publishedName() throws(JSAppsError) -> String? {
        guard let value = members["name"] else { return nil }
        guard let text = value.string, text.unicodeScalars.count <= 200 else {
            throw .badManifest(
                at: value.position, "name must be a text of at most 200 characters")
        }
        return text.contains { !$0.isWhitespace } ? text : nil
    }

    func has(_ key: String) -> Bool { members[key] != nil }

    func version() throws(JSAppsError) -> String {
        let value = try required("version")
        guard let text = value.string, (1...64).contains(text.unicodeScalars.count),
            text.unicodeScalars.allSatisfy({ !$0.isUnsafeToDisplay })
        else {
            throw .badManifest(
                at: value.position, "version must be a text of 1 to 64 printable characters")
        }
        return text
    }

    /// A text that may be missing; an empty one counts as missing.
    ///
    /// - Parameter member: Where the value may also be an object, its key for the text.
    func text(
        _ key: String, orMember member: String? = nil, atMost limit: Int
    ) throws(JSAppsError) -> String? {
        guard let value = members[key] else { return nil }
        let inner = member.flatMap { value[$0] } ?? value
        guard let text = inner.string else {
            let other = member.map { " or an object with a \($0)" } ?? ""
            throw .badManifest(at: inner.position, "\(key) must be a text\(other)")
        }
        guard text.unicodeScalars.count <= limit else {
            throw .badManifest(
                at: inner.position, "\(key) must have at most \(limit) characters")
        }
        return text.isEmpty ? nil : text
    }

    func list(_ key: String) throws(JSAppsError) -> JSONValue? {
        guard let value = members[key] else { return nil }
        guard value.array != nil else {
            throw .badManifest(at: value.position, "\(key) must be a list")
        }
        return value
    }

    private func required(_ key: String) throws(JSAppsError) -> JSONValue {
        guard let value = members[key] else {
            throw .badManifest(at: root.position, "\(key) is missing")
        }
        return value
    }
}
