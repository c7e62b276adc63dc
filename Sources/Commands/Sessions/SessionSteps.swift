import ArgumentParser
import Foundation
import Host
import API
import Sessions

extension SessionsCommand {
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a session; it goes on until it is paused or finished.",
            discussion: """
                Example:
                  nervous sessions start 3f2a90c1d4e5b678
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.start) }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Interrupt a session; what is measured meanwhile does not belong to it.")

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.pause) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go on with a session that was paused.",
            discussion: """
                A session with a sensor of locations goes on at most 200 m from where it was paused,
                if that sensor has told a place since.
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.resume) }
    }

    struct Finish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session; it cannot be started again.")

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.finish) }
    }
}

extension SessionsCommand.Choice {
    func make(_ step: SessionStep) async throws {
        try await HostSession.with(options.host) { session in
            let data = try await session.client.data(
                .post, SessionsCommand.path(id, "/\(step.rawValue)"))
            guard !options.json else { return options.console.print(json: data) }
            let now = try JSONDecoder().decode(SessionDescription.self, from: data)
            options.console.print("\(id) is \(now.standing), after \(now.activeTime) of activity.")
            if session.isOwn, now.state == SessionState.active.rawValue {
                options.console.say("Nothing is collected while no host runs: nervous serve")
            }
        }
    }
}

extension SessionsCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a session comes to, once a second, until it ends.",
            discussion: """
                Examples:
                  nervous sessions watch
                  nervous sessions watch 3f2a90c1d4e5b678 --json

                Distance, steps, floors, pace and activity are shown as far as the sensors of the session
                tell them: location, steps, altitude and activity. Ctrl-C leaves; the session goes on.
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The session; without one the newest that is active or paused.")
        var id: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let chosen = try await chosen(session)
                var event = ""
                for try await line in try await session.client.lines(
                    .get, SessionsCommand.path(chosen, "/live"))
                {
                    let text = String(decoding: line, as: UTF8.self)
                    if text.hasPrefix("event: ") { event = String(text.dropFirst(7)) }
                    guard text.hasPrefix("data: ") else { continue }
                    let data = Data(text.dropFirst(6).utf8)
                    guard event == "live" else { throw CommandFailure(problem: data, status: 500) }
                    if options.json {
                        options.console.print(json: data)
                    } else {
                        let live = try JSONDecoder().decode(LiveDescription.self, from: data)
                        options.console.print(live.line)
                    }
                }
            }
        }

        private func chosen(_ session: HostSession) async throws -> String {
            if let id { return id }
            let list = try await session.client.get(
                ItemList<SessionDescription>.self, SessionsCommand.path(),
                query: [("limit", "1000")])
            let idle = SessionState.inactive.rawValue
            guard let found = list.items.first(where: { $0.state != idle }) else {
                throw CommandFailure(
                    .noInput, "No session is active.",
                    hint: "Start one with: nervous sessions start ID")
            }
            return found.id
        }
    }
}

extension LiveDescription {
    /// For a person: how long, what it comes to, how fast, and what is done.
    var line: String {
        // Milliseconds of centuries fit.
        let time = ElapsedText(.milliseconds(Int64(exactly: elapsed.rounded()) ?? 0)).description
        let pace = pace.flatMap { Int(exactly: ($0 * 1000).rounded()) }.map { seconds in
            let rest = seconds % 60
            return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest) min/km"
        }
        let activity = activity.map { name in
            name + (confidence.map { " (\($0))" } ?? "")
        }
        let standing = finished ? "finished" : state == SessionState.active.rawValue ? nil : state
        return [time, text.isEmpty ? nil : text, pace, activity, standing].compactMap(\.self)
            .joined(separator: " | ")
    }
}
