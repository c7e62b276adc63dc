import Motion
import Samples
import Sessions

/// What a session comes to at a moment; members that nothing tells are missing.
public struct LiveDescription: Codable, Sendable {
    /// Milliseconds since 1970.
    public let t: Double
    /// `inactive`, `active` or `paused`.
    public let state: String
    /// Whether it has ended.
    public let finished: Bool
    /// Milliseconds for which it has been active, pauses left out.
    public let elapsed: Double
    /// Such as `512.30m | 700 steps | 2 floors`.
    public let text: String
    /// Metres.
    public let distance: Double?
    public let steps: Int?
    public let floors: Int?
    /// Seconds for a metre, over the last minute.
    public let pace: Double?
    public let activity: String?
    public let confidence: String?

    init(_ reading: LiveReading, of record: SessionRecord, at now: Timestamp) {
        let session = SessionDescription(record, now: now)
        t = now.milliseconds
        (state, finished, elapsed) = (session.state, session.finished, session.elapsed)
        text = reading.text
        (distance, steps, floors) = (reading.distance, reading.steps, reading.floors)
        pace = reading.pace
        activity = reading.activity?.activity.rawValue
        confidence = reading.activity?.confidence.rawValue
    }
}
