import Auth
import Text

/// One package in a catalogue.
///
/// Its texts are the publisher's claims: bounded in length, and to be escaped before they are shown.
public struct CataloguePackage: Sendable, Hashable {
    /// What a package contains.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An app.
        case app
        /// A sensor pack.
        case sensorPack = "sensor-pack"
    }

    /// What it contains.
    public let kind: Kind
    /// The name, unique in its catalogue.
    public let name: AppName
    /// The version as written: printable, up to 64 characters.
    public let version: String
    /// A title, up to 100 characters.
    public let title: String?
    /// A description, up to 2000 characters.
    public let summary: String?
    /// The file beside the index.
    public let file: String
    /// The size of the file in bytes.
    public let size: Int
    /// The SHA-256 of the file in 64 lower-case hexadecimal digits.
    public let sha256: String

    /// Checks that a file is the listed one, before anything else reads it.
    ///
    /// - Throws: ``JSAppsError`` with code `packageMismatch`.
    public func check(_ bytes: [UInt8]) throws(JSAppsError) {
        guard bytes.count == size else {
            throw mismatch("has \(bytes.count) bytes, and its catalogue lists \(size)")
        }
        guard Fingerprint.sha256(bytes) == sha256 else {
            throw mismatch("has another SHA-256 than its catalogue lists")
        }
    }

    /// Checks that an unpacked app is the listed one.
    ///
    /// - Throws: ``JSAppsError`` with code `packageMismatch`.
    public func check(_ manifest: Manifest) throws(JSAppsError) {
        guard manifest.name == name, manifest.version == version else {
            let version = manifest.version.escapedForDisplay(limit: 24)
            throw mismatch("contains \(manifest.name) \(version)")
        }
    }

    /// Checks that the package contains what is installed from it.
    ///
    /// - Throws: ``JSAppsError`` with code `packageMismatch`.
    public func check(isA kind: Kind) throws(JSAppsError) {
        guard kind != self.kind else { return }
        let command = self.kind == .app ? "nervous apps install" : "nervous sensors install"
        throw JSAppsError(
            .packageMismatch,
            "‘\(name)’ is \(self.kind == .app ? "an app" : "a sensor pack").",
            hint: "Install it with: \(command) \(name)")
    }

    private func mismatch(_ what: String) -> JSAppsError {
        JSAppsError(
            .packageMismatch, "The package ‘\(name)’ \(what).",
            hint: "Read the catalogue again with: nervous apps update. If that does not help,"
                + " tell its publisher.")
    }
}

/// The index of a catalogue: its packages, and a number that grows with every edition.
///
/// ```swift
/// let index = try CatalogueIndex(parsing: bytes)
/// for package in index.packages { print(package.name, package.version) }
/// ```
public struct CatalogueIndex: Sendable, Hashable {
    /// The name of the file.
    public static let fileName = "index.json"
    /// What the name of the index's signature ends with.
    public static let signatureEnding = ".sig"
    /// Bytes of an index.
    public static let limit = 2 << 20
    /// Bytes of its signature.
    public static let signatureLimit = 4096
    /// Packages of an index.
    static let maximumPackages = 2000
    /// The greatest size of a package, 1 GiB; an installation has its own, smaller limit.
    static let largestPackage = 1 << 30
    /// The greatest integer that all JSON parsers keep, 2⁵³ − 1.
    static let largestSequence: Int64 = (1 << 53) - 1
    private static let format: Int64 = 1
    private static let depth = 8

    /// The name that the publisher gave the catalogue.
    public let name: AppName
    /// A title, up to 100 characters.
    public let title: String?
    /// The number of the edition, from 1; a later one has a greater number.
    public let sequence: Int64
    /// The packages, by name.
    public let packages: [CataloguePackage]

    init(name: AppName, title: String?, sequence: Int64, packages: [CataloguePackage]) {
        self.name = name
        self.title = title
        self.sequence = sequence
        self.packages = packages.sorted { $0.name < $1.name }
    }

    /// Parses an index.
    ///
    /// Unknown members are ignored, so that later versions can add some; `format` excludes what this
    /// version cannot understand.
    ///
    /// - Throws: ``JSAppsError`` with code `badCatalogue` and a message that begins with
    ///   `index.json:line:column`.
    public init(parsing bytes: [UInt8]) throws(JSAppsError) {
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON(maximumBytes: Self.limit, maximumDepth: Self.depth).parse(bytes)
        } catch {
            throw .badCatalogue(at: error.position, error.message, cause: error)
        }
        guard root.object != nil else {
            throw .badCatalogue(at: root.position, "the index must be an object")
        }
        guard root["format"]?.number?.int64 == Self.format else {
            throw .badCatalogue(
                at: root["format"]?.position ?? root.position, "the format is not 1",
                hint: "The catalogue may need a later version of Nervous.")
        }
        let fields = CatalogueFields(root)
        name = try fields.name("name")
        title = try fields.optional("title", atMost: 100)
        sequence = try fields.integer("sequence", in: 1...Self.largestSequence)
        guard let list = root["packages"], let items = list.array else {
            throw .badCatalogue(
                at: root["packages"]?.position ?? root.position, "‘packages’ must be a list")
        }
        guard items.count <= Self.maximumPackages else {
            throw .badCatalogue(
                at: list.position, "there are more than \(Self.maximumPackages) packages")
        }
        var names: Set<AppName> = []
        var packages: [CataloguePackage] = []
        for item in items {
            let package = try CataloguePackage(item)
            guard names.insert(package.name).inserted else {
                throw .badCatalogue(
                    at: item.position, "two packages are named ‘\(package.name)’")
            }
            packages.append(package)
        }
        self.packages = packages.sorted { $0.name < $1.name }
    }

    /// The package of a name.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchPackage`.
    public func package(named text: String) throws(JSAppsError) -> CataloguePackage {
        guard let package = packages.first(where: { $0.name.text == text }) else {
            throw JSAppsError(
                .noSuchPackage,
                "The catalogue ‘\(name)’ has no package ‘\(text.escapedForDisplay(limit: 64))’.",
                hint: "Search with: nervous apps search WORD")
        }
        return package
    }

    /// The bytes of the file: the same index gives the same bytes.
    var encoded: [UInt8] {
        var text = "{\n  \"format\": \(Self.format),\n"
        text += "  \"name\": \(JSONString.literal(name.text)),\n"
        if let title { text += "  \"title\": \(JSONString.literal(title)),\n" }
        text += "  \"sequence\": \(sequence),\n  \"packages\": ["
        text += packages.map { "\n    {\n\($0.members)\n    }" }.joined(separator: ",")
        text += packages.isEmpty ? "]\n}\n" : "\n  ]\n}\n"
        return Array(text.utf8)
    }

    /// The message that the key of a catalogue signs: a line that separates it from other uses of the key,
    /// and the checksum of the index.
    static func message(_ index: [UInt8]) -> [UInt8] {
        Array("nervous catalogue 1\n\(Fingerprint.sha256(index))\n".utf8)
    }
}

extension CataloguePackage {
    fileprivate init(_ value: JSONValue) throws(JSAppsError) {
        let fields = CatalogueFields(value)
        let word = try fields.text("kind", atMost: 64)
        guard let kind = Kind(rawValue: word) else {
            throw .badCatalogue(
                at: value["kind"]?.position ?? value.position, "the kind of a package is unknown",
                hint: "The catalogue may need a later version of Nervous.")
        }
        self.kind = kind
        name = try fields.name("name")
        version = try fields.text("version", atMost: 64)
        guard !version.unicodeScalars.contains(where: \.isUnsafeToDisplay) else {
            throw .badCatalogue(
                at: value["version"]?.position ?? value.position, "‘version’ must be printable")
        }
        title = try fields.optional("title", atMost: 100)
        summary = try fields.optional("description", atMost: 2000)
        file = try fields.text("file", atMost: 200)
        guard Self.isFileName(file) else {
            throw .badCatalogue(
                at: value["file"]?.position ?? value.position,
                "‘file’ must be the name of a .zip or .nervous file beside the index, of letters,"
                    + " digits and . _ + -")
        }
        size = Int(try fields.integer("size", in: 1...Int64(CatalogueIndex.largestPackage)))
        sha256 = try fields.text("sha256", atMost: 64)
        guard [UInt8](hexadecimal: sha256)?.count == 32 else {
            throw .badCatalogue(
                at: value["sha256"]?.position ?? value.position,
                "‘sha256’ must be 64 lower-case hexadecimal digits")
        }
    }

    /// Whether a text names a package beside the index, on a disk as in a URL.
    static func isFileName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-"),
            [".zip", ".nervous"].contains(where: text.hasSuffix), text.utf8.count <= 200
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "._+-".unicodeScalars.contains(scalar))
        }
    }

    fileprivate var members: String {
        var lines = [
            "\"kind\": \"\(kind.rawValue)\"", "\"name\": \(JSONString.literal(name.text))",
            "\"version\": \(JSONString.literal(version))",
        ]
        if let title { lines.append("\"title\": \(JSONString.literal(title))") }
        if let summary { lines.append("\"description\": \(JSONString.literal(summary))") }
        lines += [
            "\"file\": \(JSONString.literal(file))", "\"size\": \(size)",
            "\"sha256\": \"\(sha256)\"",
        ]
        return lines.map { "      \($0)" }.joined(separator: ",\n")
    }
}

/// The members of an object in an index.
private struct CatalogueFields {
    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    func text(_ key: String, atMost limit: Int) throws(JSAppsError) -> String {
        guard let text = value[key]?.string, (1...limit).contains(text.unicodeScalars.count)
        else {
            throw refusal(key, "must be a text of 1 to \(limit) characters")
        }
        return text
    }

    func optional(_ key: String, atMost limit: Int) throws(JSAppsError) -> String? {
        value[key] == nil ? nil : try text(key, atMost: limit)
    }

    func name(_ key: String) throws(JSAppsError) -> AppName {
        guard let name = value[key]?.string.flatMap({ AppName($0) }) else {
            throw refusal(key, "must be a name in kebab-case of up to 64 characters")
        }
        return name
    }

    func integer(_ key: String, in range: ClosedRange<Int64>) throws(JSAppsError) -> Int64 {
        guard let number = value[key]?.number?.int64, range.contains(number) else {
            throw refusal(
                key, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func refusal(_ key: String, _ why: String) -> JSAppsError {
        .badCatalogue(at: value[key]?.position ?? value.position, "‘\(key)’ \(why)")
    }
}

extension JSAppsError {
    fileprivate static func badCatalogue(
        at position: JSONPosition, _ message: String, hint: String? = nil,
        cause: (any Error)? = nil
    ) -> JSAppsError {
        JSAppsError(
            .badCatalogue, "\(CatalogueIndex.fileName):\(position): \(message).",
            hint: hint ?? "Tell the publisher of the catalogue.", cause: cause)
    }
}
