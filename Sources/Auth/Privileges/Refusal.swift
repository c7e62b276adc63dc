public import Samples

/// How often the person said no to a privilege for one run only.
///
/// Whoever said no twice is not asked again, until they reset it or decide something else.
public struct Refusal: Hashable, Sendable {
    /// After how many the question is not put any more.
    public static let limit = 2

    public let client: String
    public let privilege: PrivilegeID
    /// At least one.
    public let count: Int
    /// When the last one was.
    public let refused: Timestamp

    /// Whether the question is not put any more.
    public var isFinal: Bool { count >= Self.limit }
}
