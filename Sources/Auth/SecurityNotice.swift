public import Samples

/// Something the owner should see at once.
public struct SecurityNotice: Hashable, Sendable {
    public let time: Timestamp
    /// One sentence.
    public let message: String
    /// What was attempted.
    public let operation: String
}
