import Auth
import Foundation
import JSApps
import Provider
import UnixSignals

/// Runs an app in its confined process and shows what it says.
struct AppRunner: Sendable {
    let item: AppDescription
    let ticket: Ticket
    let session: HostSession
    let console: Console
    let duration: Duration?
    let isInsecure: Bool

    func run() async throws -> RunOutcome {
        var configuration = RunConfiguration(
            runner: try CompanionProgram.runner.path(), app: item.name, token: ticket.token,
            scripts: [
                .init(
                    name: "nervous.js",
                    source: try await session.client.file("/nervous.js", of: item.name)),
                .init(
                    name: "app.js", source: try await session.client.file("/app.js", of: item.name)),
            ])
        configuration.isInsecure = isInsecure
        let console = console
        let run = try await AppRun(configuration, connection: session.client) { event in
            Self.show(event, console)
        }
        return await withTaskGroup(of: RunOutcome?.self) { group in
            group.addTask { await run.run() }
            group.addTask {
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
                for await _ in signals { return nil }
                return nil
            }
            group.addTask {
                await ticket.keepAlive(session)
                return nil
            }
            if let duration {
                group.addTask {
                    guard (try? await Task.sleep(for: duration)) != nil else { return nil }
                    return .finished(code: 0)
                }
            }
            var outcome: RunOutcome?
            for await result in group {
                // The first word that counts ends the others; an interrupted run is stopped.
                outcome = outcome ?? result ?? (Task.isCancelled ? nil : .stopped)
                group.cancelAll()
            }
            return outcome ?? .stopped
        }
    }

    /// One line about an end that was not the app's own.
    static func report(_ outcome: RunOutcome, of app: String, _ console: Console) {
        let message: String? =
            switch outcome {
            case .finished, .stopped: nil
            case .unresponsive:
                "\(app) did not answer for 5 seconds and was ended: it seems to be in an endless loop."
            case .sandboxViolation:
                "\(app) tried what its confinement forbids and was ended."
            case .protocolViolation(let what):
                "\(app) broke the protocol and was ended: \(what.escapedForDisplay(limit: 80))"
            case .crashed(let signal):
                "\(app) was ended by signal \(signal): it probably reached its memory limit."
            case .failedToStart(let text):
                "The runner could not start: \(text.escapedForDisplay(limit: 400))"
            }
        if let message { console.report(CommandFailure(.failed, message, type: "run-ended")) }
    }

    private static func show(_ event: RunEvent, _ console: Console) {
        guard !console.isJSON else { return console.print(EventLine(event).text) }
        switch event {
        case .started(let layers):
            if layers.isEmpty { console.say("warning: the app runs without confinement") }
        case .console(let level, let text):
            let isTalk = level == .warn || level == .error
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let shown = String(line).escapedForDisplay(limit: 1000)
                if isTalk { console.say(shown) } else { console.print(shown) }
            }
        case .uncaught(let message, let place, _):
            let text = message.escapedForDisplay(limit: 500)
            let origin = place.map { "\($0.escapedForDisplay(limit: 120)): " } ?? ""
            console.say("uncaught: \(origin)\(text)")
        }
    }
}
