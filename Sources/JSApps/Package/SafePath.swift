import Auth
import Text

/// A relative path from a package that was checked and may be created beneath a folder.
///
/// It has at least one component; none is empty, `.` or `..`; it is UTF-8 without control,
/// bidirectional, invisible or backslash characters and does not begin with `/` or a drive letter.
/// Only the checks in this module make one.
public struct SafePath: Sendable, Hashable {
    /// The components, outermost first.
    public let components: [String]

    /// The components joined by `/`.
    public var text: String { components.joined(separator: "/") }

    /// Checks a name.
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
            throw refusal("is more than \(limits.depth) folders deep")
        }
        guard components.first != "" else { throw refusal("is empty or absolute") }
        guard !components.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw refusal("has an empty, ‘.’ or ‘..’ component")
        }
    }

    private init(components: [String]) {
        self.components = components
    }

    /// The folders that this path stands in, outermost first.
    var parents: [SafePath] {
        (1..<max(components.count, 1)).map { SafePath(components: Array(components.prefix($0))) }
    }

    /// The path without its first component, or `nil` where it has no other.
    var withoutFirst: SafePath? {
        components.count > 1 ? SafePath(components: Array(components.dropFirst())) : nil
    }

    /// The path for a person, in at most 100 columns.
    var shown: String { text.escapedForDisplay(limit: 100) }
}
