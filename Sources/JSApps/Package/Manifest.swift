public import Auth
import Text

/// What an app says about itself in its `package.json`.
///
/// Every text in it is the author's claim: bounded in length, and to be escaped before it is shown.
public struct Manifest: Sendable, Hashable {
    /// The name, which is also that of the app's folder.
    public let name: AppName
    /// The name that the author of a published app gave it, from which `name` was derived, up to 200
    /// characters; `nil` where it is the same.
    public let publishedName: String?
    /// The version as it was written: printable, up to 64 characters.
    public let version: String
    /// A title for people, up to 100 characters.
    public let title: String?
    /// What the app does, up to 2000 characters.
    public let summary: String?
    /// Who wrote it, up to 200 characters.
    public let author: String?
    /// The licence, up to 200 characters.
    public let license: String?
    /// What the app asks for; nothing where the package has no `privileges`.
    public let privileges: [Privilege]
    /// The picture of a published app; `nil` where it has none that is a PNG.
    public let icon: AppIcon?

    /// The version in numbers, where it follows Semantic Versioning.
    public var semanticVersion: SemanticVersion? { SemanticVersion(version) }

    /// Reads a `package.json`.
    ///
    /// Keys that mean nothing here are ignored, as npm puts many; trailing commas are accepted.
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
    /// Reads the `package.json` of a published app, or makes one of the folder's name.
    ///
    /// A text that is of another type or too long is left out, and a missing version is `0.0.0`: what
    /// was published cannot be mended by whoever installs it.
    ///
    /// - Parameters:
    ///   - bytes: The `package.json`; `nil` where the package has none.
    ///   - folder: The folder of the package.
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

    /// Whether a `package.json` says anything about privileges.
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
