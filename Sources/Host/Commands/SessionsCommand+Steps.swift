import API
import ArgumentParser
import Foundation
import Provider
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
        try await HostSession.with(options) { session in
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
