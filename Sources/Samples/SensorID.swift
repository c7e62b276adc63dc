/// The identifier of a sensor: kebab-case segments joined by dots, such as `cpu` or `network.eth0`.
///
/// The first segment is the kind; further segments name one instance of it. Matching is by segment:
/// `network` covers `network.eth0`, but not `networking`.
///
/// ```swift
/// let kind: SensorID = "network"
/// let sensor = kind.instance("wlp2s0")  // network.wlp2s0
/// kind.covers(sensor)                   // true
/// SensorID("Not an identifier")         // nil
/// ```
public struct SensorID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The maximum number of characters.
    public static let maximumLength = 64

    /// The identifier as text.
    public let description: String

    /// Parses an identifier.
    ///
    /// - Returns: `nil` unless `text` is 1 to 64 characters of lower-case ASCII letters and digits,
    ///   with single hyphens inside a segment and single dots between segments.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        for segment in segments {
            let words = segment.split(separator: "-", omittingEmptySubsequences: false)
            guard words.allSatisfy(Self.isWord) else { return nil }
        }
        description = text
    }

    /// The identifier of an instance of this kind.
    ///
    /// Each run of characters that an identifier cannot contain becomes one hyphen, and is dropped at
    /// the ends; a name without any allowed character becomes `unnamed`.
    public func instance(_ name: String) -> SensorID {
        var words = name.lowercased().split(whereSeparator: { !Self.isWordCharacter($0) })
        if words.isEmpty { words = ["unnamed"] }
        let limit = Self.maximumLength - description.utf8.count - 1
        var slug = words.joined(separator: "-").prefix(max(1, limit))
        while slug.hasSuffix("-") { slug.removeLast() }
        return SensorID("\(description).\(slug)") ?? self
    }

    /// The first segment, such as `network` of `network.eth0`.
    public var kind: SensorID {
        SensorID(segments: description.prefix { $0 != "." })
    }

    /// Whether `other` is this identifier or an instance below it.
    public func covers(_ other: SensorID) -> Bool {
        other == self || other.description.hasPrefix(description + ".")
    }

    private init(segments: Substring) {
        description = String(segments)
    }

    /// Compares the texts.
    public static func < (left: SensorID, right: SensorID) -> Bool {
        left.description < right.description
    }

    private static func isWord(_ word: Substring) -> Bool {
        !word.isEmpty && word.allSatisfy(isWordCharacter)
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        // Comparing characters is not enough: x with a combining accent sorts before y.
        guard let ascii = character.asciiValue else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ascii)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(ascii)
    }
}

extension SensorID: ExpressibleByStringLiteral {
    /// Traps when the literal is not a valid identifier; use `init?(_:)` for text from outside.
    public init(stringLiteral value: StaticString) {
        guard let valid = SensorID("\(value)") else {
            preconditionFailure("not a sensor identifier: \(value)")
        }
        self = valid
    }
}
