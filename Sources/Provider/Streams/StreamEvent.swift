import API
import AppStorage
import Egress
import Foundation
import NIOCore
import Samples

/// The text of events.
///
/// An `id` is the position for `Last-Event-ID`; an event without data only moves it.
enum StreamEvent {
    /// A comment that opens the stream, and its position.
    static func opening(_ sensor: SensorID, at position: Int64) -> ByteBuffer {
        ByteBuffer(string: ": the samples of \(sensor)\nid: \(position)\n\n")
    }

    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// A comment that opens a stream of several sensors, the position that all of them have passed, and
    /// where each begins.
    static func opening(_ sensors: [(name: SensorID, after: Int64)], at position: Int64) throws
        -> ByteBuffer
    {
        let names = sensors.map(\.name.description)
        var buffer = ByteBuffer(
            string: names.isEmpty
                ? ": events\n" : ": the samples of \(names.joined(separator: ", "))\n")
        buffer.writeString("id: \(position)\n\n")
        for (after, group) in Dictionary(grouping: sensors, by: \.after).sorted(by: {
            $0.key < $1.key
        }) {
            var event = try open(group.map(\.name), after: after)
            buffer.writeBuffer(&event)
        }
        return buffer
    }

    /// The samples of the sensors after a position follow.
    static func open(_ sensors: [SensorID], after position: Int64) throws -> ByteBuffer {
        struct Opening: Encodable {
            let after: Int64
            let sensors: [String]
        }
        return event(
            "open",
            try JSONText.encode(Opening(after: position, sensors: sensors.map(\.description))))
    }

    /// The position after omitted samples.
    static func position(_ position: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(position)\n\n")
    }

    /// - Parameters:
    ///   - sensor: the name of its sensor in a stream of several.
    ///   - isLast: whether no other event has the same sequence number.
    static func sample(
        _ sample: StoredSample, _ fields: [Field], of sensor: SensorID?, isLast: Bool,
        to buffer: inout ByteBuffer
    ) {
        if isLast { buffer.writeString("id: \(sample.sequence)\n") }
        buffer.writeString("event: sample\ndata: ")
        buffer.writeJSON(sample, fields, of: sensor)
        buffer.writeString("\n\n")
    }

    static func gap(_ gap: StreamGap) throws -> ByteBuffer {
        event("gap", try JSONText.encode(gap))
    }

    /// The time ranges of damaged samples that the stream would otherwise contain.
    ///
    /// - Parameter sensor: the name of the sensor in a stream of several.
    static func damage(_ ranges: [TimeRange], of sensor: SensorID? = nil) throws -> ByteBuffer {
        struct Damage: Encodable {
            let damaged: [DamagedRange]?
            let sensor: String?
        }
        return event(
            "damage",
            try JSONText.encode(
                Damage(damaged: DamagedRange.list(ranges), sensor: sensor?.description)))
    }

    /// The refusal of one sensor in a stream of several.
    static func refused(_ sensor: String, _ problem: Problem) -> ByteBuffer {
        var data = ByteBuffer(string: #"{"sensor":"#)
        data.writeJSON(sensor)
        data.writeString(#","problem":"#)
        data.writeBytes(problem.encoded())
        data.writeString("}")
        return event("refused", Data(data.readableBytesView))
    }

    /// The list of a part that only the owner sees.
    static func part(_ part: OwnerEvents.Part, _ body: Data) -> ByteBuffer {
        event(part.eventName, body)
    }

    /// The live values of a session.
    static func live(_ live: LiveDescription) throws -> ByteBuffer {
        event("live", try JSONText.encode(live))
    }

    /// - Parameter hasID: whether the event has an `id`; `false` in a stream of samples, whose events
    ///   have identifiers of another kind.
    static func notice(_ notice: Notice, hasID: Bool = true) throws -> ByteBuffer {
        event("notification", try JSONText.encode(NoticeItem(notice)), id: hasID ? notice.id : nil)
    }

    /// A WebSocket is open.
    static func opened(_ id: String, _ subprotocol: String) throws -> ByteBuffer {
        event("open", try JSONText.encode(["id": id, "protocol": subprotocol]))
    }

    /// A message of a WebSocket.
    static func message(_ message: WebSocketMessage) throws -> ByteBuffer {
        let members =
            switch message {
            case .text(let text): ["text": text]
            case .binary(let bytes):
                ["base64": Data(bytes.readableBytesView).base64EncodedString()]
            }
        return event("message", try JSONText.encode(members))
    }

    /// The end of a WebSocket.
    static func closed(_ closing: WebSocketClosing) throws -> ByteBuffer {
        struct Closed: Encodable {
            let code: Int
            let reason: String
            let clean: Bool
            let problem: String?
        }
        return event(
            "close",
            try JSONText.encode(
                Closed(
                    code: closing.code, reason: closing.reason, clean: closing.isClean,
                    problem: closing.problem)))
    }

    /// The last event of a stream.
    static func problem(_ problem: Problem) -> ByteBuffer {
        event("problem", problem.encoded())
    }

    private static func event(_ name: String, _ data: Data, id: Int64? = nil) -> ByteBuffer {
        var buffer = ByteBuffer(string: id.map { "id: \($0)\n" } ?? "")
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
