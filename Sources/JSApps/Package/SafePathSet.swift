import Foundation

/// The paths of one package, no two of which any file system could take for the same.
///
/// Paths are compared after compatibility normalisation (NFKC) and full case folding, so `A.js`,
/// `a.js` and `ａ.js` are one name.
struct SafePathSet {
    private enum Kind {
        case file
        /// A folder, and whether it has been named itself or only in the paths of others.
        case folder(named: Bool)
    }

    private struct Seen {
        let path: SafePath
        var kind: Kind
    }

    private var seen: [String: Seen] = [:]

    /// Adds a file, and with it the folders it stands in.
    mutating func insert(file path: SafePath) throws(JSAppsError) {
        try insertParents(of: path)
        let key = Self.folded(path.text)
        if let other = seen[key] { throw Self.clash(path, other.path) }
        seen[key] = Seen(path: path, kind: .file)
    }

    /// Adds a folder, and with it the folders it stands in.
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
        // Swift's == ignores Unicode form; a folder in two forms is two folders on a disk.
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
        // Folding can undo a normalisation and the other way round; twice reaches the fixed point.
        for _ in 0..<2 {
            folded = folded.precomposedStringWithCompatibilityMapping.unicodeScalars
                .map { $0.properties.uppercaseMapping }.joined().unicodeScalars
                .map { $0.properties.lowercaseMapping }.joined()
        }
        return folded.precomposedStringWithCompatibilityMapping
    }
}
