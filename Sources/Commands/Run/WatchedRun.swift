import Auth
import Foundation
import Host
import API
import Text

/// A run that this terminal is the console of.
struct WatchedRun: Sendable {
    let ticket: Ticket
    let session: HostSession
    let console: Console
    let consent: Consent
    let duration: Duration?
    let isInsecure: Bool
    /// Whether the visible text of its page is shown, and its document at the end.
    let showsText: Bool
    let showsMarkup: Bool
    /// How much of its own time an app gets that does not live in the machine's.
    var lifetime: Duration?
    /// Ends the run when it returns.
    var end: (@Sendable () async -> Void)?
    /// How long a run that was to end by itself may take to show its last.
    private static let grace = Duration.seconds(3)

    /// Starts the app, shows what it says, and stops it when the person or the time says so.
    ///
    /// - Returns: the run as it ended, and whether everything that the app asked for was answered.
    func run() async throws -> (RunDescription, isAnswered: Bool) {
        let signals = await session.interruptions.listen()
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(
            of: (RunDescription, isAnswered: Bool)?.self
        ) { group in
            group.addTask { try await follow(beginning) }
            group.addTask {
                // A run that is stopped before it has begun cannot begin, and would be told as a fault.
                for await _ in begun {}
                for await _ in stops { await ticket.stop(session) }
                return nil
            }
            group.addTask {
                var isFirst = true
                for await _ in signals {
                    // Who asks twice does not want to wait.
                    guard isFirst else { exit(130) }
                    isFirst = false
                    stopping.yield()
                }
                return nil
            }
            if let end {
                group.addTask {
                    await end()
                    if !Task.isCancelled { stopping.yield() }
                    return nil
                }
            }
            if let duration {
                group.addTask {
                    let limit = showsText || showsMarkup ? duration + Self.grace : duration
                    if (try? await Task.sleep(for: limit)) != nil { stopping.yield() }
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let ended { return ended }
            }
            throw CommandFailure(.remote, "The host ended while the app ran.")
        }
    }

    private struct Start: Encodable {
        let insecure: Bool
        let view: Bool
        let markup: Bool
        let lifetime: UInt32?
    }

    /// - Parameter beginning: is finished with the first that the host tells.
    private func follow(
        _ beginning: AsyncStream<Void>.Continuation
    ) async throws -> (RunDescription, isAnswered: Bool) {
        var ended: RunDescription?
        var isAnswered = true
        let body = try JSONEncoder().encode(
            Start(
                insecure: isInsecure, view: showsText, markup: showsMarkup,
                lifetime: lifetime?.wholeMilliseconds
                    ?? (showsText || showsMarkup ? duration?.wholeMilliseconds : nil)))
        for try await line in try await session.client.lines(
            .post, "/api/v1/runs/\(ticket.run)/start", body: body)
        {
            beginning.finish()
            let event = try JSONDecoder().decode(RunEventItem.self, from: line)
            if event.event == "failed" { throw CommandFailure(event) }
            if event.event == "ended" { ended = event.run }
            if event.event == "asks", let privilege = event.privilege.flatMap({ PrivilegeID($0) }) {
                isAnswered = try await consent.answer(privilege) && isAnswered
            }
            if console.isJSON { console.print(json: line) } else { show(event) }
        }
        guard let ended else {
            throw CommandFailure(.remote, "The host ended while the app ran.")
        }
        return (ended, isAnswered)
    }

    private func show(_ event: RunEventItem) {
        let text = event.text ?? ""
        switch event.event {
        case "started":
            if event.layers?.isEmpty != false {
                console.say("warning: the app runs without confinement")
            }
        case "console":
            let isTalk = event.level == "warn" || event.level == "error"
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let shown = String(line).escapedForDisplay(limit: 1000)
                if isTalk { console.say(shown) } else { console.print(shown) }
            }
        case "view", "markup":
            // Its lines are the app's, whole; one that is empty parts one view from the next.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                console.print(String(line).escapedForDisplay(limit: 100_000))
            }
            if event.event == "view" { console.print("") }
        case "message":
            let words = [event.title, event.text].compactMap(\.self).joined(separator: " – ")
            console.say("\(consent.app.name) says: \(words)")
        case "uncaught":
            let origin = event.place.map { "\($0.escapedForDisplay(limit: 120)): " } ?? ""
            console.say("uncaught: \(origin)\(text.escapedForDisplay(limit: 500))")
        default: break
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: UInt32 {
        UInt32(clamping: Int64(self / .milliseconds(1)))
    }
}
