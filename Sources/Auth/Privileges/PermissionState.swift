/// How a privilege stands for a client, in the words of the W3C's Permissions.
public enum PermissionState: String, Hashable, Sendable {
    case granted, denied
    /// Nobody has decided, and the person can be asked.
    case prompt
}
