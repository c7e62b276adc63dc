import API
import Foundation
import Host

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

/// The lines of a stream of Server-Sent Events of the host.
struct EventLines {
    let lines: any AsyncSequence<Data, any Error> & Sendable

    /// Calls `body` with each event until it returns `false`, or until the task is cancelled.
    ///
    /// - Throws: the problem that ends the stream, and `unavailable` if the host stops.
    func read(_ body: (ServerSentEvent) throws -> Bool) async throws {
        var parser = ServerSentEventParser()
        for try await line in lines {
            guard let event = parser.take(line) else { continue }
            if event.name == "problem" { throw APIError(status: 500, body: event.data) }
            guard try body(event) else { return }
        }
        throw CommandFailure(.unavailable, "The host has stopped.")
    }
}

extension APIClient {
    /// Shows a summary for the owner: once, or again whenever the host reports that it has changed.
    ///
    /// - Parameters:
    ///   - isOnce: whether to return after the first summary; otherwise runs until it is cancelled.
    ///   - show: takes the JSON of a summary.
    /// - Throws: as ``EventLines/read(_:)``.
    func follow(
        _ summary: OwnerSummary, isOnce: Bool, show: (Data) throws -> Void
    ) async throws {
        try await EventLines(lines: stream(of: summary)).read { event in
            guard event.name == summary.rawValue else { return true }
            try show(event.data)
            return !isOnce
        }
    }
}
