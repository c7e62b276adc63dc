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
        // Words with one hyphen or dot between two of them.
        var isAfterWord = false
        for byte in text.utf8 {
            if Self.isWordByte(byte) {
                isAfterWord = true
            } else {
                guard isAfterWord, byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") else {
                    return nil
                }
                isAfterWord = false
            }
        }
        guard isAfterWord else { return nil }
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

    /// The identifier without its last segment, such as `network` of `network.eth0`; `nil` for a kind.
    public var parent: SensorID? {
        description.utf8.lastIndex(of: UInt8(ascii: ".")).map {
            SensorID(segments: description[..<$0])
        }
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

    private static func isWordCharacter(_ character: Character) -> Bool {
        // Comparing characters is not enough: x with a combining accent sorts before y.
        character.asciiValue.map(isWordByte) ?? false
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
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
