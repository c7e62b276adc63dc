import Auth
package import Foundation
import Logging
import Samples
import Text

/// The format of the log on standard error: always one bounded line for each message.
package enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json

    private static let messageLimit = 1000
    private static let valueLimit = 200
    private static let values = 16

    private struct Line: Encodable {
        let time: String
        let level: String
        let label: String
        let message: String
        let metadata: [String: String]?
    }

    /// One line without a line break: no control characters, at most some kilobytes.
    func line(
        _ message: String, level: Logger.Level, label: String = "nervous",
        metadata: Logger.Metadata = [:], time: Timestamp = .now()
    ) -> String {
        let message = message.escapedForDisplay(limit: Self.messageLimit)
        // Sorted, so that the choice of values beyond the limit is deterministic.
        let pairs = metadata.sorted { $0.key < $1.key }.prefix(Self.values).map { key, value in
            (
                key.escapedForDisplay(limit: 60),
                "\(value)".escapedForDisplay(limit: Self.valueLimit)
            )
        }
        switch self {
        case .text:
            let rest = pairs.map { " \($0)=\($1)" }.joined()
            return "\(time) \(level) \(label): \(message)\(rest)"
        case .json:
            let line = Line(
                time: "\(time)", level: "\(level)", label: label, message: message,
                metadata: pairs.isEmpty
                    ? nil : Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
            return String(decoding: (try? JSONEncoder.sorted.encode(line)) ?? Data(), as: UTF8.self)
        }
    }

    /// A message of the host for the owner on standard error: a line of text, or a JSON object.
    package func notice(_ message: String, _ severity: LogSeverity = .notice) -> String {
        switch self {
        case .text: severity.prefix + message.escapedForDisplay(limit: Self.messageLimit)
        case .json: severity.prefix + line(message, level: severity.level)
        }
    }
}

/// Writes each log message as one line on standard error.
struct LineLogHandler: LogHandler {
    let label: String
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var whole = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        if let error = event.error { whole["error"] = "\(error)" }
        let line = format.line(
            "\(event.message)", level: event.level, label: label, metadata: whole)
        OutputGate.standard.write(LogSeverity(event.level).prefix + line + "\n", to: 2)
    }
}

extension JSONEncoder {
    /// Encodes equal values as equal bytes.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
