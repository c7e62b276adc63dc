/// Two places of an app's own, with one bound for both: a key of one says nothing about the other.
public enum StorageArea: String, Hashable, Sendable {
    /// What the app keeps by name: `nervous.storage`.
    case named
    /// What stands for `localStorage` in headless runs.
    case local
}
