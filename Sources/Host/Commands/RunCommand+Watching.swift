import API
import Auth
import Foundation
import Provider
import Synchronization
import Text

extension RunCommand {
    /// What was changed while the app ran.
    private final class Changes: Sendable {
        private let held = Mutex<[String]>([])

        var files: [String] {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    /// Runs the app of a folder, and anew whenever a file of the folder changes, until the person ends
    /// it.
    func performAgain(_ session: HostSession) async throws -> (RunDescription, isAnswered: Bool) {
        let folder = try FolderWatch(
            URL(filePath: app).standardizedFileURL.path(percentEncoded: false))
        let signals = await session.interruptions.listen()
        let listening = Task { for await _ in signals { folder.end() } }
        defer { listening.cancel() }
        let console = options.console
        while true {
            let changes = Changes()
            do {
                let ended = try await perform(session) { changes.files = await folder.changes() }
                if changes.files.isEmpty {
                    // A run that was stopped and not by a change was stopped by the person.
                    guard ended.0.ending?.name != "stopped" else { return ended }
                    let how = ended.0.complaint ?? "\(ended.0.app) has ended."
                    console.say(
                        "\(how) Waiting for a change in \(app.escapedForDisplay(limit: 200)).")
                }
            } catch {
                let failure = CommandFailure(error)
                guard Self.canBeMended(failure) else { throw failure }
                console.report(failure)
                console.say("Waiting for a change in \(app.escapedForDisplay(limit: 200)).")
            }
            if changes.files.isEmpty {
                changes.files = await folder.changes()
                guard !changes.files.isEmpty else {
                    throw CommandFailure(.interrupted, "Interrupted.")
                }
            }
            let names = changes.files.prefix(3).map { $0.escapedForDisplay(limit: 100) }
            let more = changes.files.count > 3 ? " and \(changes.files.count - 3) more" : ""
            console.say("Changed: \(names.joined(separator: ", "))\(more). Starting again.")
        }
    }

    /// Whether the folder is to blame, and so a change of it may help.
    private static func canBeMended(_ failure: CommandFailure) -> Bool {
        [.badData, .noInput, .usage, .noPermission].contains(failure.code)
    }
}
