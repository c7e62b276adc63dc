import API
import ArgumentParser
import Auth
import Foundation
import Host
import Samples
import Text

/// Manages tokens for the owner's programs.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, narrow, list and revoke tokens for your own programs, such as curl.",
        subcommands: [Create.self, Attenuate.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a token and print it; it cannot be shown again.",
            discussion: """
                Example:
                  TOKEN=$(nervous token create curl --allow sensor:cpu --for 1h)
                  curl -H "Authorization: Bearer $TOKEN" \\
                       http://localhost:8080/api/v1/sensors/cpu/latest
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A name of your choice, in kebab-case.")
        var name: String

        @Option(
            help: "Grant a privilege, such as sensor:cpu or sensor:memory:stats; may be repeated.",
            completion: .names(.privilege))
        var allow: [String] = []

        @OptionGroup var sets: PermissionSetOptions

        @Flag(help: "Let the token do everything that you may do.")
        var owner = false

        @Option(
            name: [.customLong("for"), .customLong("expires")],
            help: ArgumentHelp(
                "How long the token is valid, such as 1h, or never; 90 days by default.",
                valueName: "duration"))
        var lifetime: String?

        func validate() throws {
            if let lifetime, !TokenRequest.isLifetime(lifetime) {
                throw ValidationError("--for takes a duration such as 30m, 8h or 7d, or never.")
            }
            if owner, !sets.permissionSets.isEmpty {
                throw ValidationError("--owner and --permission-set cannot be combined.")
            }
        }

        func run() async throws {
            let set = try sets.permissions(options.host)
            // The choices and denials of a set are decided once the token exists.
            let whole = allow + set.allow.filter { !$0.contains("=") }
            let request = TokenRequest(name: name, owner: owner, allow: whole, lifetime: lifetime)
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.createToken(request)
                do {
                    try await decide(set, session)
                } catch {
                    // A token with a part of its permissions would be of no use.
                    try? await session.client.revokeToken(of: name)
                    throw error
                }
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print(try reply.value.token)
                if whole.isEmpty, set.allow.isEmpty, !owner {
                    options.console.say(
                        "It has no permissions yet: nervous permissions grant \(name) sensor:ID")
                }
            }
        }

        /// Decides what a set lists for some sensors of a kind, and its denials, which take precedence.
        private func decide(_ set: PermissionSet, _ session: HostSession) async throws {
            for text in set.allow where text.contains("=") {
                guard let flag = FlagDecisions.flag(text, .allowOnce) else { continue }
                _ = try await session.client.decide(
                    DecisionRequest(
                        decision: "allow-always", only: flag.only?.map(\.description)),
                    on: flag.privilege.description, by: name)
            }
            for text in set.deny {
                _ = try await session.client.decide(
                    DecisionRequest(.deny), on: text, by: name)
            }
        }
    }

    struct Attenuate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "attenuate",
            abstract: "Make a narrower token from a token, without the host.",
            discussion: """
                Reads a token from standard input, or from a file, and prints one that allows
                no more than the options say, and nothing that the first does not allow. Only
                sensors can be used with it. It expires with the first: when that expires or is
                revoked.

                Example:
                  echo "$TOKEN" | nervous token attenuate --sensor cpu --stats-only --for 10m
                """)

        @OptionGroup var options: GlobalOptions

        @Option(
            help: ArgumentHelp(
                "A file with the token; - or no file means standard input.", valueName: "path"),
            completion: .file())
        var file: String?

        @Option(
            help: ArgumentHelp(
                "Only this sensor or kind; may be repeated.", valueName: "sensor"))
        var sensor: [String] = []

        @Flag(help: "Only reading, no publishing.")
        var readOnly = false

        @Flag(help: "Only publishing, no reading.")
        var writeOnly = false

        @OptionGroup var terms: GrantTermOptions

        @Option(
            help: ArgumentHelp(
                "A name for the access log, of letters, digits and hyphens, such as sub-agent.",
                valueName: "name"))
        var label: String?

        @Flag(help: "Make a token that cannot be narrowed further.")
        var seal = false

        func validate() throws {
            guard [terms.statsOnly, readOnly, writeOnly].count(where: \.self) <= 1 else {
                throw ValidationError(
                    "--stats-only, --read-only and --write-only exclude each other.")
            }
            guard sensor.count <= Caveat.sensorLimit else {
                throw ValidationError("--sensor is for at most \(Caveat.sensorLimit) sensors.")
            }
            if let wrong = sensor.first(where: { SensorID($0) == nil }) {
                throw ValidationError(
                    "\(wrong.escapedForDisplay(limit: 60)) is not a sensor's name.")
            }
        }

        func run() async throws {
            let (text, caveat) = (try token(), try caveat())
            let narrower: AttenuatedToken
            do throws(AuthError) {
                narrower = try AttenuatedToken(narrowing: text, by: caveat, seals: seal)
            } catch {
                throw CommandFailure(.badData, error.message, hint: error.hint)
            }
            if options.json {
                try options.console.print(encoding: ["token": narrower.text])
            } else {
                options.console.print(narrower.text)
            }
        }

        private func token() throws -> String {
            let data: Data?
            if let file, file != "-" {
                data = try FileHandle(forReadingFrom: URL(filePath: file)).read(upToCount: 65_536)
            } else {
                data = try FileHandle.standardInput.read(upToCount: 65_536)
            }
            return String(decoding: data ?? Data(), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private func caveat() throws -> Caveat {
            let limits = try terms.limits(at: .now())
            let caveat = Caveat(
                label: label, sensors: sensor.isEmpty ? nil : sensor.compactMap { SensorID($0) },
                access: terms.statsOnly ? .stats : readOnly ? .raw : writeOnly ? .write : nil,
                maximumRate: limits.rate, precision: limits.precision, history: limits.history,
                expires: limits.expires)
            guard let caveat else {
                throw CommandFailure(
                    .usage,
                    "A label is 1 to \(Caveat.labelLimit) lower-case letters, digits and hyphens.")
            }
            return caveat
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the valid tokens.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.tokens()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    options.console.say(
                        "No tokens. Create one with: nervous token create NAME")
                    return
                }
                var table = Table("NAME", "PERMISSIONS", "CREATED", "EXPIRES")
                for item in items {
                    table.add(
                        item.name,
                        item.owner ? "everything" : "see: nervous permissions \(item.name)",
                        Format.time(item.created), item.expires.map(Format.time) ?? "never")
                }
                options.console.print(table)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a token and its permissions immediately.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The token's name; see: nervous token list.", completion: .names(.token))
        var name: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.revokeToken(of: name)
                if options.json {
                    try options.console.print(encoding: ["revoked": name])
                } else {
                    options.console.print("Token '\(name)' revoked.")
                }
            }
        }
    }
}
