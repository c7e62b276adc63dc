import API
import ArgumentParser
import Foundation
import Host
import Sessions

extension SessionsCommand {
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start a session; it is active until it is paused or finished.",
            discussion: """
                Example:
                  nervous sessions start 3f2a90c1d4e5b678
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.start) }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause",
            abstract: "Pause a session; samples of the pause do not belong to it.")

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.pause) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume",
            abstract: "Resume a paused session.",
            discussion: """
                If its location sensor has reported a position since the pause, a session can
                be resumed only within 200 m of where it was paused.
                """)

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.resume) }
    }

    struct Finish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "finish",
            abstract: "Finish a session; it cannot be started again.")

        @OptionGroup var choice: Choice

        func run() async throws { try await choice.make(.finish) }
    }
}

extension SessionsCommand.Choice {
    func make(_ step: SessionStep) async throws {
        try await HostSession.with(options.host) { session in
            let reply = try await session.client.step(step.rawValue, ofSession: id)
            guard !options.json else { return options.console.print(json: reply.json) }
            let now = try reply.value
            options.console.print(
                "\(id) is \(now.stateText), after \(now.activeTime) of activity.")
            if session.isOwn, now.state == SessionState.active.rawValue {
                options.console.say("Samples are collected only while a host runs: nervous serve")
            }
        }
    }
}

extension SessionsCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Show the results of a session every second, until it ends.",
            discussion: """
                Examples:
                  nervous sessions watch
                  nervous sessions watch 3f2a90c1d4e5b678 --json

                Distance, steps, floors, pace and activity are shown if the session has the
                sensors location, steps, altitude and activity. Ctrl-C stops watching, not the
                session.
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The identifier of the session; by default the newest active or paused one.",
            completion: .names(.session))
        var id: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let chosen = try await chosen(session)
                var parser = ServerSentEventParser()
                for try await line in try await session.client.live(ofSession: chosen) {
                    guard let event = parser.take(line) else { continue }
                    guard event.name == "live" else {
                        throw APIError(status: 500, body: event.data)
                    }
                    if options.json {
                        options.console.print(json: event.data)
                    } else {
                        let live = try JSONDecoder().decode(
                            LiveDescription.self, from: event.data)
                        options.console.print(live.line)
                    }
                }
            }
        }

        private func chosen(_ session: HostSession) async throws -> String {
            if let id { return id }
            let items = try await session.client.sessions(limit: 1000).value.items
            let idle = SessionState.inactive.rawValue
            guard let found = items.first(where: { $0.state != idle }) else {
                throw CommandFailure(
                    .noInput, "No session is active.",
                    hint: "Start one with: nervous sessions start ID")
            }
            return found.id
        }
    }
}

extension LiveDescription {
    /// Time, results, pace and activity in one line.
    var line: String {
        // Overflows only after centuries.
        let time = ElapsedText(.milliseconds(Int64(exactly: elapsed.rounded()) ?? 0)).description
        let pace = pace.flatMap { Int(exactly: ($0 * 1000).rounded()) }.map { seconds in
            let rest = seconds % 60
            return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest) min/km"
        }
        let activity = activity.map { name in
            name + (confidence.map { " (\($0))" } ?? "")
        }
        let stateText = finished ? "finished" : state == SessionState.active.rawValue ? nil : state
        return [time, text.isEmpty ? nil : text, pace, activity, stateText].compactMap(\.self)
            .joined(separator: " | ")
    }
}
