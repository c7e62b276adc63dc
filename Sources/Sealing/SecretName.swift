/// The name of a secret: 1 to 64 lower-case letters, digits and hyphens, the first one a letter.
public struct SecretName: Hashable, Comparable, Sendable, LosslessStringConvertible {
    private static let longest = 64

    public let description: String

    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.longest).contains(bytes.count),
            let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            bytes.last != UInt8(ascii: "-"),
            bytes.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        description = text
    }

    public static func < (left: SecretName, right: SecretName) -> Bool {
        left.description < right.description
    }
}

/// Whose secret it is.
public enum SecretHolder: Hashable, Comparable, Sendable, LosslessStringConvertible {
    private static let longest = 64

    /// An app: the host uses the secret in its calls.
    case app(String)
    /// A source: the sensor of a sensor pack, or `mqtt` for the broker of the configuration.
    case source(String)

    /// Reads the form of `description`: `app:weather`, `source:mqtt`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...Self.longest).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        switch parts[0] {
        case "app": self = .app(String(parts[1]))
        case "source": self = .source(String(parts[1]))
        default: return nil
        }
    }

    public var description: String {
        switch self {
        case .app(let name): "app:\(name)"
        case .source(let name): "source:\(name)"
        }
    }
}
