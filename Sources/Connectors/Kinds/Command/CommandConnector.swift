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

    public func connect(_ inlet: Inlet) async throws {
        guard let interval else { return try await stream(inlet) }
        while true {
            let start = ContinuousClock.now
            try await attempt(inlet)
            try await Task.sleep(until: start.advanced(by: interval), clock: .continuous)
        }
    }

    /// A run that fails is told of, and the next comes when it is due.
    private func attempt(_ inlet: Inlet) async throws {
        do {
            let feed = LineFeed(inlet, doubt: doubt)
            try await run.whole { bytes in
                inlet.connected()
                feed.take(bytes)
            } until: { [patience] in
                try await Task.sleep(for: patience ?? Self.standardTimeout)
            }
            inlet.connected()
            feed.end()
        } catch let error as ConnectorError {
            inlet.disconnected(error.message)
        }
    }

    private func stream(_ inlet: Inlet) async throws {
        let feed = LineFeed(inlet, doubt: doubt)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await run.whole { bytes in
                    inlet.connected()
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
                inlet.connected()
            }
            defer { group.cancelAll() }
            while try await group.next() != nil {}
        }
    }

    private var doubt: String { "\(place) writes no line that the sensor pack knows." }
}
