import Egress
import Samples

/// Something that waits to be sent, as the API tells of it; times are in milliseconds since 1970.
public struct DeliveryDescription: Codable, Sendable {
    public let id: String
    public let address: String
    /// What it is, for a person.
    public let title: String
    public let mediaType: String
    /// Bytes.
    public let size: Int
    public let created: Double
    /// `waiting` for one that is tried again by itself, `refused` for one that is not.
    public let state: String
    /// How often it was tried.
    public let attempts: Int
    /// Why the last try failed.
    public let problem: String
    /// When it is tried again, at the earliest.
    public let next: Double?

    init(_ delivery: QueuedUpload) {
        id = delivery.id
        address = delivery.address
        title = delivery.title
        mediaType = delivery.mediaType
        size = delivery.size
        created = delivery.created.milliseconds
        state = delivery.state.rawValue
        attempts = delivery.attempts
        problem = delivery.problem
        next = delivery.next?.milliseconds
    }
}
