import Glibc
import Samples
import Text

/// Lines of a program of this machine, that runs all the time or again and again.
public struct CommandConnector: ConnectorKind {
    public static let kind = "command"
    public static let consequence =
        "Nervous runs this program as you and not confined: it may do what you may do."

    private static let standardTimeout = Duration.seconds(30)
    /// A program that has run for so long stands, though it has written nothing.
    private static let settling = Duration.seconds(1)
    private static let year = Duration.seconds(366 * 86_400)

    public let place: String
    private let run: CommandRun
    /// From the start of one run to that of the next; `nil` for a program that does not end.
    private let interval: Duration?
    /// How long a run may take, or how long a program that does not end may say nothing.
    private let patience: Duration?

    /// Takes `command` (words, without a shell), `every` (a span; without it the program does not end)
    /// and `timeout` (30s with `every`, else none).
    public init(_ source: inout PackObject) throws(PackError) {
        guard let words = try source.texts("command") else { throw source.missing("command") }
        guard let program = words.first, !program.isEmpty,
            program.hasPrefix("/") || !program.contains("/")
        else {
            throw source.wrong(
                "command", "begins with neither the absolute path nor the name of a program")
        }
        let interval = try source.span("every", in: .milliseconds(100)...Self.year)
        let patience = try source.span("timeout", in: .milliseconds(100)...Self.year)
        self.init(words, every: interval, patience: patience)
    }

    /// - Parameter grace: how long it may take to end when it is told to.
    init(
        _ words: [String], every interval: Duration? = nil, patience: Duration? = nil,
        grace: Duration = .seconds(2)
    ) {
        place = words.joined(separator: " ").escapedForDisplay(limit: 120)
        run = CommandRun(words: words, place: place, grace: grace)
        self.interval = interval
        self.patience = patience ?? (interval == nil ? nil : Self.standardTimeout)
    }

    public func connect(_ sink: SampleSink) async throws {
        guard let interval else { return try await stream(sink) }
        while true {
            let start = ContinuousClock.now
            try await attempt(sink)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    /// A run that fails is told of, and the next comes when it is due.
    private func attempt(_ sink: SampleSink) async throws {
        do {
            let feed = LineFeed(sink, doubt: doubt)
            try await run.whole { bytes in
                sink.connected()
                feed.take(bytes)
            } until: { [patience] in
                try await Task.sleep(for: patience ?? Self.standardTimeout)
            }
            sink.connected()
            feed.end()
        } catch let error as ConnectorError {
            sink.disconnected(error.message)
        }
    }

    private func stream(_ sink: SampleSink) async throws {
        let feed = LineFeed(sink, doubt: doubt)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await run.whole { bytes in
                    sink.connected()
                    feed.take(bytes)
                } until: { [patience] in
                    try await feed.waitForSilence(of: patience ?? Self.year)
                }
                // A line without an end was cut off.
                throw ConnectorError(
                    "\(place) ended, though it is to run all the time; or give it an every.")
            }
            group.addTask {
                try await Task.sleep(for: Self.settling)
                sink.connected()
            }
            defer { group.cancelAll() }
            while try await group.next() != nil {}
        }
    }

    private var doubt: String { "\(place) writes no line that the sensor pack knows." }
}

/// One run of a program after the other, each with everything that it has started.
struct CommandRun: Sendable {
    /// What a program writes at its end and nobody has read yet, at most: a pipe holds 64 KiB.
    private static let mostPieces = 64

    let words: [String]
    let place: String
    /// How long it may take to end when it is told to.
    let grace: Duration

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - body: is handed what it writes.
    ///   - deadline: returns when it has taken too long.
    /// - Throws: ``ConnectorError`` when it cannot be started, fails or takes too long;
    ///   `CancellationError`. It does not run any more then.
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
                    throw ConnectorError("\(place) took too long and was ended\(errorOutput.text).")
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
            throw ConnectorError("\(place) \(Self.text(of: status))\(errorOutput.text).")
        }
    }

    private func drain(_ descriptor: OwnedDescriptor, _ body: (ArraySlice<UInt8>) -> Void) {
        for _ in 0..<Self.mostPieces {
            guard case .bytes(let bytes) = descriptor.read() else { return }
            body(bytes)
        }
    }

    /// - Parameter status: as waitpid(2) gives it.
    private static func text(of status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "failed with \(status >> 8 & 0xFF)" : "was ended by signal \(signal)"
    }
}
