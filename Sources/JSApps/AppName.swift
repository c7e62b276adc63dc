import Auth
import Foundation

/// The name of an app in kebab-case: `^[a-z0-9]+(-[a-z0-9]+)*$`, 1 to 64 characters.
///
/// It names the app's folder, its origin in the browser, and the app in every command.
///
/// ```swift
/// guard let name = AppName("step-counter") else { throw UsageError() }
/// ```
public struct AppName: Sendable, Hashable {
    /// The name itself.
    public let text: String

    /// Checks a name; `nil` if it is not kebab-case or too long.
    public init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isKebabCase = words.allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
        }
        guard isKebabCase, text.utf8.count <= 64 else { return nil }
        self.text = text
    }
}

extension AppName: CustomStringConvertible {
    /// The name itself.
    public var description: String { text }
}

extension AppName: Comparable {
    /// Orders names by their characters.
    public static func < (one: AppName, other: AppName) -> Bool { one.text < other.text }
}

/// Derives the ``AppName`` of a nervousnet app, which may have any name.
///
/// The result depends only on the name that the author chose, so it is the same on every machine.
enum PublishedName {
    /// A label of a host name has at most 63 characters.
    private static let longest = 63
    /// The suffixes that archives of a repository append to the folder's name.
    private static let branches = ["-master", "-main"]

    /// The name of a repository, given the folder in its archive.
    static func repository(_ folder: String) -> String {
        let branch = branches.first { folder.hasSuffix($0) && folder.count > $0.count }
        return branch.map { String(folder.dropLast($0.count)) } ?? folder
    }

    /// Words in kebab-case: `Élan Vital_2` and `ÉlanVital2` become `elan-vital-2` and
    /// `elan-vital2`.
    ///
    /// A name without any ASCII letter or digit, even after removing accents, becomes `app-` and
    /// eight digits of its SHA-256.
    static func derived(from text: String) -> AppName {
        if let name = AppName(text), text.utf8.count <= longest { return name }
        var words: [String] = [""]
        var previous: Unicode.Scalar?
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            if isMark { continue }
            let isPart = scalar.isASCII && scalar.properties.isAlphabetic || scalar.isDigit
            let startsWord = scalar.isCapital && previous?.isSmall == true
            if !isPart || startsWord { words.append("") }
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
            preconditionFailure("hexadecimal digits form a valid name")
        }
        return name
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isSmall: Bool { ("a"..."z").contains(self) || isDigit }
    fileprivate var isCapital: Bool { ("A"..."Z").contains(self) }
}
