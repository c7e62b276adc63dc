public import Samples

/// A decision as it is kept.
public struct PermissionRecord: Hashable, Sendable {
    /// W3C permission states; `prompt` is the absence of a record.
    public enum State: String, Hashable, Sendable {
        case granted, denied
    }

    public let client: String
    public let privilege: PrivilegeID
    public let state: State
    /// The conditions, for a grant.
    public let terms: Terms?
    /// The run it is limited to; `nil` when it holds until changed.
    public let run: String?
    public let decided: Timestamp
    /// The identity of the app that it was made about; it says nothing about any other.
    var identity = ""
}
