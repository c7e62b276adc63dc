import API
import Foundation
import LAE
import NIOCore
import Samples

/// Arrivals of which a reader does not get some: those behind `after`, up to `through`.
struct StreamGap: Encodable {
    enum Reason: String, Encodable {
        /// They were removed from the store.
        case gone
        /// They are older than the grant lets be seen.
        case history
    }

    let after: Int64
    let through: Int64
    let reason: Reason
}

/// The events of a stream of samples, as text.
///
/// An `id` is the place to come back to; without data it only moves the place.
enum StreamEvent {
    /// A comment that opens the stream, and its place.
    static func opening(_ sensor: SensorID, at place: Int64) -> ByteBuffer {
        ByteBuffer(string: ": the samples of \(sensor)\nid: \(place)\n\n")
    }

    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// The place, where samples were passed over.
    static func place(_ place: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(place)\n\n")
    }

    static func samples(_ page: SamplePage) -> ByteBuffer {
        var buffer = ByteBuffer()
        for sample in page.samples {
            buffer.writeString("id: \(sample.sequence)\nevent: sample\ndata: ")
            buffer.writeJSON(sample, page.fields)
            buffer.writeString("\n\n")
        }
        return buffer
    }

    static func gap(_ gap: StreamGap) throws -> ByteBuffer {
        event("gap", try JSONText.encode(gap))
    }

    private struct Damage: Encodable {
        let damaged: [DamagedRange]?
    }

    /// Says where samples that belong into the stream cannot be read.
    static func damage(_ ranges: [TimeRange]) throws -> ByteBuffer {
        event("damage", try JSONText.encode(Damage(damaged: DamagedRange.list(ranges))))
    }

    /// What a session comes to.
    static func live(_ live: LiveDescription) throws -> ByteBuffer {
        event("live", try JSONText.encode(live))
    }

    /// The last event.
    static func problem(_ problem: Problem) -> ByteBuffer {
        event("problem", problem.encoded())
    }

    private static func event(_ name: String, _ data: Data) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
