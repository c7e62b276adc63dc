import Samples
import Sessions

/// A session as the API tells of it; times are in milliseconds since 1970.
public struct SessionDescription: Codable, Sendable {
    /// When it was active.
    public struct Span: Codable, Sendable {
        public let from: Double
        /// Missing of the one that goes on.
        public let to: Double?
    }

    public let id: String
    public let name: String
    public let description: String
    public let sensors: [String]
    /// `inactive`, `active` or `paused`.
    public let state: String
    /// Whether it has ended.
    public let finished: Bool
    public let created: Double
    /// In the order of time.
    public let spans: [Span]
    /// Milliseconds for which it has been active, pauses left out.
    public let elapsed: Double
    /// The length of its route in metres, where a person has entered it.
    public let distance: Double?
    /// Whether it came from a file; missing where it did not.
    public let imported: Bool?

    init(_ record: SessionRecord, now: Timestamp) {
        let session = record.session
        id = session.id
        name = session.name
        description = session.description
        sensors = session.sensors.map(\.description)
        state = session.state.rawValue
        finished = session.isFinished
        created = session.created.milliseconds
        spans =
            session.spans.map { Span(from: $0.from.milliseconds, to: $0.to.milliseconds) }
            + (session.activeSince.map { [Span(from: $0.milliseconds, to: nil)] } ?? [])
        let microseconds = session.spans(until: now).reduce(0.0) { sum, span in
            sum + (Double(span.to.microseconds) - Double(span.from.microseconds))
        }
        elapsed = microseconds / 1000
        distance = record.enteredDistance
        imported = record.isImported ? true : nil
    }
}
