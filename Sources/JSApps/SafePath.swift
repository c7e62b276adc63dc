import Foundation
import Text

/// A relative path from a package that is safe to create beneath a folder.
///
/// It has at least one component; none is empty, `.` or `..`; it is UTF-8 without control,
/// bidirectional, invisible or backslash characters and does not begin with `/` or a drive letter.
/// Only the checks of this module can make a `SafePath`, so its existence proves these properties.
public struct SafePath: Sendable, Hashable {
    /// The components, outermost first.
    public let components: [String]

    /// The components joined by `/`.
    public var text: String { components.joined(separator: "/") }

    /// Checks a path; throws `unsafePath`.
    init(checking bytes: [UInt8], limits: PackageLimits) throws(JSAppsError) {
        let shown = String(decoding: bytes.prefix(1000), as: UTF8.self)
            .escapedForDisplay(limit: 100)
        func refusal(_ why: String) -> JSAppsError {
            JSAppsError(.unsafePath, "The name ‘\(shown)’ in the package \(why).")
        }
        guard bytes.count <= limits.pathBytes else {
            throw refusal("is longer than \(limits.pathBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw refusal("is not UTF-8")
        }
        guard !text.unicodeScalars.contains(where: \.isUnsafeToDisplay) else {
            throw refusal("has a control or invisible character")
        }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else { throw refusal("has a backslash") }
        let second = text.utf8.dropFirst().first
        guard second != UInt8(ascii: ":") else { throw refusal("begins with a drive letter") }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        components = parts.map { String(Substring($0)) }
        guard components.count <= limits.depth else {
            throw refusal("has more than \(limits.depth) components")
        }
        guard components.first != "" else { throw refusal("is empty or absolute") }
        guard !components.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw refusal("has an empty, ‘.’ or ‘..’ component")
        }
    }

    private init(components: [String]) {
        self.components = components
    }

    /// The enclosing folders, outermost first.
    var parents: [SafePath] {
        (1..<max(components.count, 1)).map { SafePath(components: Array(components.prefix($0))) }
    }

    /// The path without its first component; `nil` if it has only one.
    var withoutFirst: SafePath? {
        components.count > 1 ? SafePath(components: Array(components.dropFirst())) : nil
    }

    /// The path escaped for messages, in at most 100 columns.
    var shown: String { text.escapedForDisplay(limit: 100) }
}

/// The paths of one package, which must differ on every file system.
///
/// Paths are compared after compatibility normalisation (NFKC) and full case folding: `A.js`,
/// `a.js` and `ａ.js` are the same name.
struct SafePathSet {
    private enum Kind {
        case file
        /// A folder, and whether it was listed itself or only occurs in other paths.
        case folder(named: Bool)
    }

    private struct Seen {
        let path: SafePath
        var kind: Kind
    }

    private var seen: [String: Seen] = [:]

    /// Adds a file and its enclosing folders; throws `duplicateName`.
    mutating func insert(file path: SafePath) throws(JSAppsError) {
        try insertParents(of: path)
        let key = Self.folded(path.text)
        if let other = seen[key] { throw Self.clash(path, other.path) }
        seen[key] = Seen(path: path, kind: .file)
    }

    /// Adds a folder and its enclosing folders; throws `duplicateName`.
    mutating func insert(folder path: SafePath) throws(JSAppsError) {
        try insertParents(of: path)
        try insertFolder(path, named: true)
    }

    private mutating func insertParents(of path: SafePath) throws(JSAppsError) {
        for parent in path.parents { try insertFolder(parent, named: false) }
    }

    private mutating func insertFolder(_ path: SafePath, named: Bool) throws(JSAppsError) {
        let key = Self.folded(path.text)
        guard let other = seen[key] else {
            seen[key] = Seen(path: path, kind: .folder(named: named))
            return
        }
        // Swift's == ignores the Unicode form, but two forms are two folders on a disk.
        guard case .folder(let before) = other.kind, !(named && before),
            other.path.text.utf8.elementsEqual(path.text.utf8)
        else { throw Self.clash(path, other.path) }
        seen[key]?.kind = .folder(named: named || before)
    }

    private static func clash(_ path: SafePath, _ other: SafePath) -> JSAppsError {
        JSAppsError(
            .duplicateName,
            "‘\(path.shown)’ and ‘\(other.shown)’ in the package have the same name.",
            hint: "Names that differ only in case or in Unicode form count as the same.")
    }

    static func folded(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.lowercased() }
        var folded = text
        // Folding can undo normalisation and vice versa; twice reaches the fixed point.
        for _ in 0..<2 {
            folded = folded.precomposedStringWithCompatibilityMapping.unicodeScalars
                .map { $0.properties.uppercaseMapping }.joined().unicodeScalars
                .map { $0.properties.lowercaseMapping }.joined()
        }
        return folded.precomposedStringWithCompatibilityMapping
    }
}
