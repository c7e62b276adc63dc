import ArgumentParser
import Auth
import Foundation
import Logging
import Samples
import Text

/// How the program's own log is written: always one bounded line a message, whatever is in it.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
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

    /// One line without its end: no control character, at most some kilobytes.
    func line(
        _ message: String, level: Logger.Level, label: String = "nervous",
        metadata: Logger.Metadata = [:], time: Timestamp = .now()
    ) -> String {
        let message = message.escapedForDisplay(limit: Self.messageLimit)
        // Sorted, so that which values are left out is no matter of chance.
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
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let line = Line(
                time: "\(time)", level: "\(level)", label: label, message: message,
                metadata: pairs.isEmpty
                    ? nil : Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
            return String(decoding: (try? encoder.encode(line)) ?? Data(), as: UTF8.self)
        }
    }

    /// What the host tells its owner as it goes: a line of talk, or one more object.
    func notice(_ message: String) -> String {
        switch self {
        case .text: message.escapedForDisplay(limit: Self.messageLimit)
        case .json: line(message, level: .notice)
        }
    }
}
