import Foundation

/// An event of a stream of Server-Sent Events.
struct ServerSentEvent: Hashable {
    let name: String
    let data: Data
}

/// Finds the events in the lines of a stream.
///
/// Comments, positions and events without data are ignored.
struct ServerSentEventParser {
    private var name = ""
    private var data: Data?

    /// - Returns: the event that a line ends.
    mutating func take(_ line: Data) -> ServerSentEvent? {
        if line.isEmpty {
            defer { (name, data) = ("", nil) }
            return data.map { ServerSentEvent(name: name.isEmpty ? "message" : name, data: $0) }
        }
        if let value = Self.value(of: "event", in: line) {
            name = String(decoding: value, as: UTF8.self)
        } else if let value = Self.value(of: "data", in: line) {
            data = data.map { $0 + [0x0A] + value } ?? value
        }
        return nil
    }

    private static func value(of field: String, in line: Data) -> Data? {
        let prefix = Data("\(field):".utf8)
        guard line.starts(with: prefix) else { return nil }
        let value = line.dropFirst(prefix.count)
        return Data(value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
    }
}
