import API
import ArgumentParser
import Auth
import Foundation
import Host
import Samples
import Text

/// Shows and changes permissions.
struct PermissionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show and change the permissions of apps and tokens.",
        discussion: """
            Examples:
              nervous permissions                               all decisions
              nervous permissions hello-sensors                 the decisions about one app
              nervous permissions --pending                     requests that wait for you
              nervous permissions grant hello-sensors sensor:cpu --rate 1 --precision 5
              nervous permissions deny hello-sensors sensor:memory
              nervous permissions grant hello-sensors sensor:cpu --expires 7d
              nervous permissions grant hello-sensors sensor:network --only network.eth0
              nervous permissions revoke hello-sensors sensor:cpu   remove a grant
              nervous permissions reset hello-sensors           ask again at the next run
              nervous permissions export > decisions.json

            A change takes effect at the next call of a running app.
            """,
        subcommands: [
            List.self, Grant.self, Deny.self, Revoke.self, Reset.self, Export.self,
        ],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the decisions about one app, or all.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of an app or token; all by default.", completion: .names(.client))
        var client: String?

        @Flag(help: "List the requests that wait for your decision.")
        var pending = false

        func run() async throws {
            try await HostSession.with(options.host) { session in
                guard !pending else { return try await showRequests(session) }
                let reply = try await session.client.grants(of: client)
                guard !options.json else { return options.console.print(json: reply.json) }
                let list = try reply.value
                let items = list.items
                for line in list.restricted ?? [] {
                    options.console.print("\(line.privilege) is blocked by \(line.file)")
                }
                guard !items.isEmpty else {
                    options.console.say(
                        "No decisions\(client.map { " about \($0)" } ?? ""). An app asks when you"
                            + " first run it.")
                    return
                }
                var table = Table("CLIENT", "PRIVILEGE", "STATE", "SINCE", "TERMS")
                for item in items {
                    table.add(
                        item.client, item.privilege, item.shownState, Format.time(item.decided),
                        item.termsText)
                }
                options.console.print(table)
            }
        }

        private func showRequests(_ session: HostSession) async throws {
            let reply = try await session.client.requests()
            guard !options.json else { return options.console.print(json: reply.json) }
            let items = try reply.value.items.filter { client == nil || $0.client == client }
            guard let first = items.first else {
                return options.console.say("No request waits for your decision.")
            }
            var table = Table("CLIENT", "PRIVILEGE", "SINCE", "CALLS WAITING")
            for item in items {
                table.add(
                    item.client, item.privilege, Format.time(item.asked), "\(item.waiting)")
            }
            options.console.print(table)
            options.console.say(
                "Decide with: nervous permissions grant \(first.client) \(first.privilege)"
                    + "   (or deny)")
        }
    }

    private static func decide(
        _ options: GlobalOptions, _ client: String, _ privilege: String, _ body: DecisionRequest
    ) async throws {
        try await HostSession.with(options.host) { session in
            try await decide(options, client, privilege, body, session)
        }
    }

    private static func decide(
        _ options: GlobalOptions, _ client: String, _ privilege: String, _ body: DecisionRequest,
        _ session: HostSession
    ) async throws {
        let reply = try await session.client.decide(body, on: privilege, by: client)
        guard !options.json else { return options.console.print(json: reply.json) }
        let isGrant = body.decision != "deny"
        options.console.print("\(isGrant ? "Granted" : "Denied") \(privilege) to \(client).")
        guard isGrant, let granted = PrivilegeID(privilege),
            let denial = try reply.value.items.first(where: { $0.overrules(granted) })
        else { return }
        options.console.say(
            "It has no effect yet: you have denied \(denial.privilege) to \(client), which"
                + " has precedence. To remove the denial:"
                + " nervous permissions reset \(client) \(denial.privilege)")
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant",
            abstract: "Grant a privilege, optionally with terms.",
            discussion: """
                If the privilege is already granted, its terms stay in effect unless you give
                new values for them. With --replace, terms that you do not give are removed.
                """,
            aliases: ["allow"])

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of the app or token.", completion: .names(.client))
        var client: String

        @Argument(
            help:
                "Such as sensor:cpu, sensor:cpu:stats for statistics only, or net:https://example.org.",
            completion: .names(.privilege)
        )
        var privilege: String

        @OptionGroup var limits: GrantTermOptions

        @Flag(
            inversion: .prefixedNo,
            help: "Whether the grant also applies in the background; by default it does.")
        var background: Bool?

        @Option(
            help: ArgumentHelp(
                "Only this sensor of the kind, such as network.eth0; may be repeated.",
                valueName: "sensor"), completion: .names(.sensor))
        var only: [String] = []

        @Flag(help: "Remove the terms of an earlier grant that are not given here.")
        var replace = false

        func run() async throws {
            let asked = PrivilegeID(privilege)
            if let wrong = only.first(where: { !Self.isPart($0, of: asked) }) {
                throw CommandFailure(
                    .usage, "\(privilege) does not include \(wrong.escapedForDisplay(limit: 60)).",
                    hint: "List the sensors with: nervous sensors")
            }
            if let asked, asked.sensor == nil, !limits.hasLimits, background != false,
                !limits.statsOnly
            {
                return try await HostSession.with(options.host) { session in
                    try await checkDeclared(session)
                    try await PermissionsCommand.decide(
                        options, client, privilege, DecisionRequest(.allowAlways), session)
                }
            }
            let given = try limits.limits(at: .now())
            var terms = TermsDescription(
                access: limits.statsOnly ? "stats" : asked?.access?.rawValue ?? "raw",
                rate: given.rate, precision: given.precision, history: given.history?.span,
                expires: given.expires?.milliseconds, background: background)
            terms.only = only.isEmpty ? nil : only
            try await grant(terms, asked)
        }

        private func grant(_ given: TermsDescription, _ asked: PrivilegeID?) async throws {
            try await HostSession.with(options.host) { session in
                try await checkDeclared(session)
                var terms = given
                if !replace, let asked {
                    let before = try await session.client.grants(of: client).value.items.last {
                        $0.privilege == asked.description && !$0.once && $0.terms != nil
                    }
                    if let earlier = before?.terms {
                        terms.keep(earlier, now: Timestamp.now().milliseconds)
                        // Without any option, the grant has the access that the privilege names.
                        let isBare = given == TermsDescription(access: given.access)
                        if !isBare, !privilege.hasSuffix(":raw"), earlier.access == "stats" {
                            terms.access = earlier.access
                        }
                    }
                }
                let body = DecisionRequest(decision: "allow", terms: terms.withDefaults)
                try await PermissionsCommand.decide(options, client, privilege, body, session)
                let limits = (terms.only ?? []) + terms.limits(includingAccess: false)
                guard !options.json, terms != given else { return }
                options.console.say("Its terms are: \(limits.joined(separator: ", ")).")
            }
        }

        /// Checks that the client, if it is an app that declares its privileges, declares this one, as
        /// `nervous run --allow` does.
        ///
        /// The host refuses unknown names and malformed privileges.
        private func checkDeclared(_ session: HostSession) async throws {
            guard let asked = PrivilegeID(privilege),
                let app = try? await session.client.app(client).value, app.generation == nil
            else { return }
            _ = try FlagDecisions(
                allow: [asked.description], deny: [], allowAll: false, declared: app.privileges)
        }

        private static func isPart(_ name: String, of privilege: PrivilegeID?) -> Bool {
            guard let kind = privilege?.sensor, let sensor = SensorID(name) else { return false }
            return kind.covers(sensor)
        }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny", abstract: "Deny a privilege.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of the app or token.", completion: .names(.client))
        var client: String

        @Argument(
            help: "Such as sensor:cpu, or net for all servers.",
            completion: .names(.privilege))
        var privilege: String

        func run() async throws {
            try await PermissionsCommand.decide(
                options, client, privilege, DecisionRequest(.deny))
        }
    }

    /// Ends grants and keeps denials, which `reset` would lift.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Remove grants; denials stay.",
            discussion: """
                The app asks again when you next run it. To remove denials, too, use `nervous
                permissions reset`.
                """)

        private struct Report: Encodable {
            /// The privileges whose grants ended.
            let revoked: [String]
        }

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of the app or token.", completion: .names(.client))
        var client: String

        @Argument(
            help: "Such as sensor:cpu; by default everything that is granted.",
            completion: .names(.decidedPrivilege))
        var privilege: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let name = privilege.map { PrivilegeID($0)?.description ?? $0 }
                let granted = try await session.client.grants(of: client).value.items
                    .filter { $0.state == "granted" && (name == nil || $0.privilege == name) }
                    .map(\.privilege)
                guard !granted.isEmpty || name == nil else {
                    throw CommandFailure(
                        .noInput, "\(name ?? "") is not granted to \(client).",
                        hint: "List the decisions with: nervous permissions \(client)",
                        type: "not-found")
                }
                // A privilege can be granted both for a run and always.
                let revoked = Set(granted).sorted()
                var failure: (any Error)?
                for privilege in revoked {
                    // If one grant cannot be revoked, the others are revoked nevertheless.
                    do {
                        try await session.client.resetGrants(of: client, privilege)
                    } catch {
                        failure = failure ?? error
                    }
                }
                if let failure { throw failure }
                guard !options.json else {
                    return try options.console.print(encoding: Report(revoked: revoked))
                }
                guard !revoked.isEmpty else {
                    return options.console.say("Nothing is granted to \(client).")
                }
                for privilege in revoked {
                    options.console.print("Revoked \(privilege) from \(client).")
                }
                options.console.say("An app asks again when you next run it.")
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Remove grants and denials, so that you are asked again.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of the app or token.", completion: .names(.client))
        var client: String

        @Argument(
            help: "Such as sensor:cpu; all by default.", completion: .names(.decidedPrivilege))
        var privilege: String?

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.resetGrants(of: client, privilege)
                if options.json {
                    try options.console.print(encoding: ["reset": true])
                } else {
                    options.console.print("Reset. An app asks again when you next run it.")
                }
            }
        }
    }
}

extension PermissionsCommand {
    /// Prints all decisions as one JSON document, for backup or comparison.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print all decisions as one JSON document.",
            discussion: """
                Example: nervous permissions export > decisions.json
                It contains no tokens and no samples.
                """)

        private struct Document: Encodable {
            let format = "nervous-permissions"
            let version = 1
            /// Milliseconds since 1970.
            let exported: Double
            let decisions: [DecisionDescription]
        }

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let decisions = try await session.client.grants().value.items
                let now = (Date.now.timeIntervalSince1970 * 1000).rounded()
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
                let document = Document(exported: now, decisions: decisions)
                options.console.print(json: try encoder.encode(document))
            }
        }
    }
}

extension TermsDescription {
    /// Adds the limits of an earlier grant that these terms do not set, except an end in the past.
    ///
    /// Does not change the access.
    fileprivate mutating func keep(_ earlier: TermsDescription, now: Double) {
        if Access(rawValue: access) != .write {
            rate = rate ?? earlier.rate
            precision = precision ?? earlier.precision
            history = history ?? earlier.history
        }
        expires = expires ?? earlier.expires.flatMap { $0 > now ? $0 : nil }
        background = background ?? (earlier.background == false ? false : nil)
        guard only == nil else { return }
        (only, excluded) = (earlier.only, earlier.excluded)
    }

    fileprivate var withDefaults: TermsDescription {
        var terms = self
        terms.background = background ?? true
        return terms
    }
}

extension DecisionDescription {
    /// Whether it is a denial that has precedence over a grant of another privilege.
    fileprivate func overrules(_ granted: PrivilegeID) -> Bool {
        guard state == "denied", refusals == nil, let denied = PrivilegeID(privilege),
            denied != granted
        else { return false }
        if denied == .net { return granted.origin != nil }
        guard let sensor = denied.sensor, let access = denied.access,
            let other = granted.sensor, let wanted = granted.access
        else { return false }
        return sensor.covers(other) && wanted.includes(access)
    }
}
