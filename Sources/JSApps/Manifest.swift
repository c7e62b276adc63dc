public import Auth
import Foundation
import Text

/// An app's `package.json`.
///
/// Its texts are the author's claims: bounded in length, and to be escaped before they are shown.
///
/// ```swift
/// let manifest = try Manifest(parsing: Array(Data(contentsOf: url)))
/// for privilege in manifest.privileges { print(privilege.id) }
/// ```
public struct Manifest: Sendable, Hashable {
    /// The name, which is also the name of the app's folder.
    public let name: AppName
    /// The name that the author gave a nervousnet app, from which `name` was derived, up to 200
    /// characters; `nil` if `name` is the same.
    public let publishedName: String?
    /// The version as written: printable, up to 64 characters.
    public let version: String
    /// A title for display, up to 100 characters.
    public let title: String?
    /// A description, up to 2000 characters.
    public let summary: String?
    /// The author, up to 200 characters.
    public let author: String?
    /// The licence, up to 200 characters.
    public let license: String?
    /// The privileges that the app declares; empty without `privileges`.
    public let privileges: [Privilege]
    /// The icon of a nervousnet app; `nil` if it has none in PNG format.
    public let icon: AppIcon?

    /// The version number, if it follows Semantic Versioning.
    public var semanticVersion: SemanticVersion? { SemanticVersion(version) }

    /// Parses a `package.json`.
    ///
    /// Unknown keys, such as those of npm, are ignored; trailing commas are accepted.
    ///
    /// - Throws: ``JSAppsError`` with code `badManifest` and a message that begins with
    ///   `package.json:line:column`.
    public init(parsing bytes: [UInt8]) throws(JSAppsError) {
        let fields = try ManifestFields(Self.root(bytes))
        name = try fields.name()
        publishedName = nil
        icon = nil
        version = try fields.version()
        title = try fields.text("title", atMost: 100)
        summary = try fields.text("description", atMost: 2000)
        author = try fields.text("author", orMember: "name", atMost: 200)
        license = try fields.text("license", orMember: "type", atMost: 200)
        privileges = try Self.privileges(try fields.list("privileges"))
    }
}

extension Manifest {
    /// Parses the `package.json` of a nervousnet app, or derives a manifest from the folder's name.
    ///
    /// Texts of a wrong type or length are omitted, and a missing version is `0.0.0`, because the
    /// owner cannot correct a nervousnet app.
    ///
    /// - Parameters:
    ///   - bytes: the `package.json`; `nil` if the package has none.
    ///   - folder: the folder of the package.
    init(ofPublished bytes: [UInt8]?, folder: String) throws(JSAppsError) {
        let fields = try bytes.map { bytes throws(JSAppsError) in
            try ManifestFields(Self.root(bytes))
        }
        let given = try fields?.publishedName() ?? PublishedName.repository(folder)
        name = PublishedName.derived(from: given)
        publishedName = given == name.text ? nil : given
        version = (try? fields?.version()) ?? "0.0.0"
        title = try? fields?.text("title", atMost: 100)
        summary = try? fields?.text("description", atMost: 2000)
        author = try? fields?.text("author", orMember: "name", atMost: 200)
        license = try? fields?.text("license", orMember: "type", atMost: 200)
        privileges = []
        icon = (try? fields?.text("icon", atMost: AppIcon.longestText)).flatMap { AppIcon($0) }
    }

    /// Whether a `package.json` has the key `privileges`.
    static func declaresPrivileges(_ bytes: [UInt8]) throws(JSAppsError) -> Bool {
        try ManifestFields(root(bytes)).has("privileges")
    }

    private static func root(_ bytes: [UInt8]) throws(JSAppsError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try StrictJSON(allowsTrailingCommas: true).parse(bytes)
        } catch {
            throw .badManifest(at: error.position, error.message, cause: error)
        }
    }

    private static func privileges(_ list: JSONValue?) throws(JSAppsError) -> [Privilege] {
        guard let list else { return [] }
        do throws(PrivilegeSyntaxError) {
            return try PrivilegeList(parsing: list).privileges
        } catch {
            throw .badManifest(at: error.position, error.message, cause: error)
        }
    }
}

extension JSAppsError {
    static func badManifest(
        at position: JSONPosition, _ message: String, hint: String? = nil,
        cause: (any Error)? = nil
    ) -> JSAppsError {
        JSAppsError(
            .badManifest, "package.json:\(position): \(message)", hint: hint, cause: cause)
    }
}

/// The icon of a nervousnet app, in PNG format.
public struct AppIcon: Sendable, Hashable {
    /// The maximum length of an icon, in characters of base64, and of a manifest.
    static let longestText = 256 << 10
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The file; only the signature of PNG has been checked.
    public let bytes: [UInt8]

    /// Decodes base64, plain or as a `data:` URL; `nil` if it is not a PNG.
    init?(_ text: String) {
        let prefix = "data:image/png;base64,"
        let encoded = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        guard let data = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters),
            data.starts(with: Self.signature)
        else { return nil }
        bytes = Array(data)
    }
}

/// The object of a `package.json`, read field by field.
private struct ManifestFields {
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

    /// The name of a nervousnet app; `nil` if it is empty or missing.
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

    /// An optional text; an empty one counts as missing.
    ///
    /// - Parameter member: if the value may also be an object, its key for the text.
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
