public import Samples

/// Something that waits to be sent.
public struct Delivery: Codable, Hashable, Sendable, Identifiable {
    /// Whether it is tried again.
    public enum State: String, Codable, Sendable {
        /// It is tried again by itself.
        case waiting
        /// The server did not want it: it is tried again when the person says so.
        case refused
    }

    /// Also what the server can tell a repetition by.
    public let id: String
    public let address: String
    /// What it is, for a person.
    public let title: String
    public let mediaType: String
    public let tokenFile: String?
    /// Bytes of its body.
    public let size: Int
    public let created: Timestamp
    public internal(set) var state: State
    /// How often it was tried.
    public internal(set) var attempts: Int
    /// Why the last try failed, one sentence.
    public internal(set) var problem: String
    /// When it is tried again by itself.
    public internal(set) var next: Timestamp?
}
