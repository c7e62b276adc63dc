public import Samples

/// What an app wants and nobody has answered.
public struct PendingRequest: Hashable, Sendable {
    public let app: String
    public let privilege: PrivilegeID
    /// The run or the open page that asks.
    public let run: String?
    /// When it asked first.
    public let asked: Timestamp
    /// How many calls wait for the answer.
    public let waiting: Int
}
