import Auth
import Foundation

/// The name that a published app has here: in its address, in commands and as its folder.
///
/// It follows from the name that the author gave it, and is the same on every machine.
enum PublishedName {
    /// A label of an address has at most 63 characters.
    private static let longest = 63
    /// What archives of repositories add to the name of the folder.
    private static let branches = ["-master", "-main"]

    /// The name of a repository, by the folder of its archive.
    static func repository(_ folder: String) -> String {
        let branch = branches.first { folder.hasSuffix($0) && folder.count > $0.count }
        return branch.map { String(folder.dropLast($0.count)) } ?? folder
    }

    /// Words in kebab-case: `Élan Vital_2` and `ÉlanVital2` become `elan-vital-2` and `elan-vital2`.
    ///
    /// A name that has no letter or digit of ASCII, not even without its accents, becomes `app-` and
    /// eight digits of its SHA-256.
    static func derived(from text: String) -> AppName {
        if let name = AppName(text), text.utf8.count <= longest { return name }
        var words: [String] = [""]
        var previous: Unicode.Scalar?
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            if isMark { continue }
            let isPart = scalar.isASCII && scalar.properties.isAlphabetic || scalar.isDigit
            let isHump = scalar.isCapital && previous?.isSmall == true
            if !isPart || isHump { words.append("") }
            if isPart { words[words.count - 1].append(String(scalar).lowercased()) }
            previous = scalar
        }
        let joined = words.filter { !$0.isEmpty }.joined(separator: "-").prefix(longest)
        let trimmed = joined.hasSuffix("-") ? joined.dropLast() : joined
        return AppName(String(trimmed)) ?? fallback(text)
    }

    private static func fallback(_ text: String) -> AppName {
        let digest = Fingerprint.sha256(Array(text.utf8)).prefix(8)
        guard let name = AppName("app-\(digest)") else {
            preconditionFailure("hexadecimal digits make a name")
        }
        return name
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isSmall: Bool { ("a"..."z").contains(self) || isDigit }
    fileprivate var isCapital: Bool { ("A"..."Z").contains(self) }
}
