import Glibc
import Samples
import Text

/// Reads lines written by a local program that runs continuously or periodically.
public struct CommandConnector: ConnectorKind {
    public static let kind = "command"
    public static let consequence =
        "Nervous runs this program unconfined, with all your permissions."

    private static let standardTimeout = Duration.seconds(30)
    /// A program that has run for this long counts as connected even without output.
    private static let connectedAfter = Duration.seconds(1)
    private static let year = Duration.seconds(366 * 86_400)

    public let sourceName: String
    private let run: CommandRun
    /// The time between the starts of two runs; `nil` for a program that runs continuously.
    private let interval: Duration?
    /// The time limit of a run, or of the silence of a continuous program.
    private let timeout: Duration?

    /// Reads `command` (words, without a shell), `every` (a duration; without it the program runs
    /// continuously) and `timeout` (30s with `every`, otherwise none).
    public init(_ source: inout PackObject) throws(PackError) {
        guard let words = try source.texts("command") else { throw source.missing("command") }
        guard let program = words.first, !program.isEmpty,
            program.hasPrefix("/") || !program.contains("/")
        else {
            throw source.wrong(
                "command", "must begin with the absolute path or the name of a program")
        }
        let interval = try source.duration("every", in: .milliseconds(100)...Self.year)
        let timeout = try source.duration("timeout", in: .milliseconds(100)...Self.year)
        self.init(words, every: interval, timeout: timeout)
    }

    /// - Parameter grace: the time between SIGTERM and SIGKILL.
    init(
        _ words: [String], every interval: Duration? = nil, timeout: Duration? = nil,
        grace: Duration = .seconds(2)
    ) {
        sourceName = words.joined(separator: " ").escapedForDisplay(limit: 120)
        run = CommandRun(words: words, sourceName: sourceName, grace: grace)
        self.interval = interval
        self.timeout = timeout ?? (interval == nil ? nil : Self.standardTimeout)
    }

    public func connect(_ sink: SampleSink) async throws {
        guard let interval else { return try await stream(sink) }
        while true {
            let start = ContinuousClock.now
            try await attempt(sink)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    /// Reports a failed run; the next one starts on schedule.
    private func attempt(_ sink: SampleSink) async throws {
        do {
            let feed = LineFeed(sink, mismatchWarning: mismatchWarning)
            try await run.whole { bytes in
                sink.connected()
                feed.take(bytes)
            } until: { [timeout] in
                try await Task.sleep(for: timeout ?? Self.standardTimeout)
            }
            sink.connected()
            feed.end()
        } catch let error as ConnectorError {
            sink.disconnected(error.message)
        }
    }

    private func stream(_ sink: SampleSink) async throws {
        let feed = LineFeed(sink, mismatchWarning: mismatchWarning)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await run.whole { bytes in
                    sink.connected()
                    feed.take(bytes)
                } until: { [timeout] in
                    try await feed.waitForSilence(of: timeout ?? Self.year)
                }
                // An incomplete last line is discarded.
                throw ConnectorError(
                    "\(sourceName) ended but should run continuously; set every to run it periodically."
                )
            }
            group.addTask {
                try await Task.sleep(for: Self.connectedAfter)
                sink.connected()
            }
            defer { group.cancelAll() }
            while try await group.next() != nil {}
        }
    }

    private var mismatchWarning: String {
        "\(sourceName) wrote no line that matches the sensor pack."
    }
}

/// Runs a program, including its child processes, to its end.
private struct CommandRun: Sendable {
    /// The maximum number of reads to drain a pipe, whose capacity is 64 KiB.
    private static let maximumPieces = 64

    let words: [String]
    let sourceName: String
    /// The time between SIGTERM and SIGKILL.
    let grace: Duration

    /// Runs the program once; it has ended when this returns or throws.
    ///
    /// - Parameters:
    ///   - body: receives its output.
    ///   - deadline: returns when it has taken too long.
    /// - Throws: ``ConnectorError`` if it cannot be started, fails or takes too long;
    ///   `CancellationError`.
    func whole(
        _ body: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        until deadline: @escaping @Sendable () async throws -> Void
    ) async throws {
        let process = try CommandProcess(words)
        let errorOutput = ErrorOutput()
        let fault: (any Error)?
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await process.readToEnd(output: body, errors: errorOutput.take)
                }
                group.addTask {
                    try await deadline()
                    throw ConnectorError(
                        "\(sourceName) timed out and was terminated\(errorOutput.text).")
                }
                defer { group.cancelAll() }
                _ = try await group.next()
            }
            fault = nil
        } catch {
            fault = error
        }
        let status = await process.end(within: grace)
        if let fault { throw fault }
        drain(process.output, body)
        drain(process.errors, errorOutput.take)
        guard status == 0 else {
            throw ConnectorError("\(sourceName) \(Self.text(of: status))\(errorOutput.text).")
        }
    }

    private func drain(_ descriptor: OwnedDescriptor, _ body: (ArraySlice<UInt8>) -> Void) {
        for _ in 0..<Self.maximumPieces {
            guard case .bytes(let bytes) = descriptor.read() else { return }
            body(bytes)
        }
    }

    /// - Parameter status: the status from waitpid(2).
    private static func text(of status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "failed with exit code \(status >> 8 & 0xFF)" : "was terminated by signal \(signal)"
    }
}
