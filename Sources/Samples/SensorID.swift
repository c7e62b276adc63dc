/// The stable name of a sensor: kebab-case segments joined by dots, such as `cpu` or `network.eth0`.
///
/// The first segment names the kind; further segments name one instance of it. Identifiers compare
/// by segment: `network` covers `network.eth0`, and never `networking`.
public struct SensorID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public static let maximumLength = 64

    public let description: String

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

    /// The identifier of one instance of this kind, its name reduced to what an identifier allows.
    ///
    /// `SensorID("network")!.instance("wlp2s0")` is `network.wlp2s0`; characters that an identifier
    /// cannot hold become single hyphens, and a name with none left becomes `unnamed`.
    public func instance(_ name: String) -> SensorID {
        var words = name.lowercased().split(whereSeparator: { !Self.isWordCharacter($0) })
        if words.isEmpty { words = ["unnamed"] }
        let room = Self.maximumLength - description.utf8.count - 1
        var slug = words.joined(separator: "-").prefix(max(1, room))
        while slug.hasSuffix("-") { slug.removeLast() }
        return SensorID("\(description).\(slug)") ?? self
    }

    /// The first segment.
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

    public static func < (left: SensorID, right: SensorID) -> Bool {
        left.description < right.description
    }

    private static func isWord(_ word: Substring) -> Bool {
        !word.isEmpty && word.allSatisfy(isWordCharacter)
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        // Characters compare by all their scalars: x with a combining accent stands before y.
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
