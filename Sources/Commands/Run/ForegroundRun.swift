import API
import Auth
import Foundation
import Host
import Samples
import Text

/// A run in the foreground, with this terminal as its console.
struct ForegroundRun: Sendable {
    let prepared: PreparedRun
    let session: HostSession
    let console: Console
    let consent: Consent
    let duration: Duration?
    let isInsecure: Bool
    /// Whether to print the visible text of the app's page.
    let showsText: Bool
    /// Whether to print the document of the app's page at the end.
    let showsMarkup: Bool
    /// The lifetime of a run in virtual time.
    var lifetime: Duration?
    /// Stops the run when it returns.
    var end: (@Sendable () async -> Void)?
    /// Extra time for a run with a lifetime to print its page.
    private static let grace = Duration.seconds(3)

    /// Starts the app, prints its output, and stops it on Ctrl-C or after the duration.
    ///
    /// - Returns: the ended run, and whether all its requests were decided.
    func run() async throws -> (RunDescription, isAnswered: Bool) {
        let signals = await session.interruptions.listen()
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(
            of: (RunDescription, isAnswered: Bool)?.self
        ) { group in
            group.addTask { try await follow(beginning) }
            group.addTask {
                // Stopping a run before it has started would make the start fail.
                for await _ in begun {}
                for await _ in stops { await prepared.stop(session) }
                return nil
            }
            group.addTask {
                var isFirst = true
                for await _ in signals {
                    // A second Ctrl-C ends the command without waiting for the run.
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
            throw CommandFailure(.remote, "The host stopped while the app was running.")
        }
    }

    /// - Parameter beginning: is finished at the first event.
    private func follow(
        _ beginning: AsyncStream<Void>.Continuation
    ) async throws -> (RunDescription, isAnswered: Bool) {
        var ended: RunDescription?
        var isAnswered = true
        var refusals: [RunEventItem] = []
        let request = StartRunRequest(
            insecure: isInsecure, view: showsText, markup: showsMarkup,
            lifetime: (lifetime ?? (showsText || showsMarkup ? duration : nil)).map {
                UInt32(clamping: $0.wholeMilliseconds)
            })
        for try await line in try await session.client.followRun(prepared.run, request) {
            beginning.finish()
            let event = try JSONDecoder().decode(RunEventItem.self, from: line)
            if event.event == "failed" { throw CommandFailure(event) }
            if event.event == "ended" { ended = event.run }
            if event.event == "asks", let privilege = event.privilege.flatMap({ PrivilegeID($0) }) {
                isAnswered = try await consent.answer(privilege) && isAnswered
            }
            if event.event == "refused" { refusals.append(event) }
            if console.isJSON { console.print(json: line) } else { show(event) }
        }
        guard let ended else {
            throw CommandFailure(.remote, "The host stopped while the app was running.")
        }
        report(refusals)
        return (ended, isAnswered)
    }

    /// Shows how to allow what was refused; the app itself gets no command.
    private func report(_ refusals: [RunEventItem]) {
        guard Console.messagesAreTerminal, !console.isJSON else { return }
        func isWider(_ other: RunEventItem, than refusal: RunEventItem) -> Bool {
            guard let wider = other.privilege.flatMap({ PrivilegeID($0) }),
                let privilege = refusal.privilege.flatMap({ PrivilegeID($0) })
            else { return false }
            return wider != privilege && wider.covers(privilege)
        }
        for refusal in refusals where !refusals.contains(where: { isWider($0, than: refusal) }) {
            console.say((refusal.text ?? "").escapedForDisplay(limit: 300))
            if let fix = refusal.fix { console.say("  \(fix.escapedForDisplay(limit: 300))") }
        }
    }

    private func show(_ event: RunEventItem) {
        let text = event.text ?? ""
        switch event.event {
        case "started":
            if event.layers?.isEmpty != false {
                console.say("warning: the app runs without confinement")
            }
        case "console":
            let isMessage = event.level == "warn" || event.level == "error"
            console.show(text, limit: 1000, isMessage: isMessage)
        case "view":
            console.show(text, limit: 100_000, keepsLayout: true)
            // An empty line separates two views.
            console.print("")
        case "markup":
            console.show(text, limit: 100_000)
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
