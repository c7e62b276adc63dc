import Foundation
import TestSupport

/// All messages at a broker, seen by the real `mosquitto_sub`.
final class MessageWatch: Sendable {
    private static let program = "/usr/bin/mosquitto_sub"

    /// Whether the required program is installed.
    static var isInstalled: Bool { FileManager.default.fileExists(atPath: program) }

    private let process: Program
    private let file: URL

    /// Returns when it receives messages.
    init(_ broker: TestBroker) async throws {
        file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try broker.publish("watched", to: "probe", isRetained: true)
        process = try Program(
            Self.program,
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "#", "-F", "%t\t%p"],
            output: .file(file.path(percentEncoded: false)))
        try await until("probe") { $0 == "watched" }
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(at: file)
    }

    /// The payloads of a topic, in order.
    func all(_ topic: String) -> [String] {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.compactMap { line in
            line.hasPrefix(topic + "\t") ? String(line.dropFirst(topic.utf8.count + 1)) : nil
        }
    }

    func last(_ topic: String) -> String? { all(topic).last }

    func count(_ topic: String) -> Int { all(topic).count }

    /// Waits for a message.
    ///
    /// - Parameter skipped: how many messages of the topic do not count.
    @discardableResult
    func until(
        _ topic: String, after skipped: Int = 0, _ isExpected: (String) -> Bool
    ) async throws -> String {
        var found: String?
        try await TestSupport.until(otherwise: { "\(topic): \(all(topic))" }) {
            found = all(topic).dropFirst(skipped).first(where: isExpected)
            return found != nil
        }
        return found ?? ""
    }
}
