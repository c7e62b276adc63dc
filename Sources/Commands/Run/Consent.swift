import API
import Auth
import Foundation
import Glibc
import Host
import Samples
import UnixSignals

/// Obtains a decision about each privilege that an app declares before it runs, or ends the
/// command.
///
/// Decisions of flags hold for the run; prompts ask for the other privileges.
struct Consent: Sendable {
    let app: AppDescription
    let run: PreparedRun
    let session: HostSession
    let console: Console
    let flags: FlagDecisions
    /// Whether prompts are allowed; undecided privileges are denied otherwise.
    let canPrompt: Bool

    /// - Throws: `noPermission` without an answer, `interrupted` after Ctrl-C.
    func obtain() async throws {
        for flag in flags.decisions { try await run.decide(flag, session) }
        try await allowImplied()
        reportRestrictions()
        reportRefusals()
        let undecided = app.privileges.filter { $0.state == "prompt" }.compactMap(\.question)
            .filter { !flags.covers($0.id) }
        let isTerminal = Console.inputIsTerminal && Console.messagesAreTerminal && !console.isJSON
        // The kind is decided: a run without a terminal continues without the new sensors.
        let newSensors = isTerminal ? self.newSensors : []
        guard !undecided.isEmpty || !newSensors.isEmpty else { return }
        // A prompt can do without the fields of a sensor, so it is shown even if the sensors are unknown.
        let sensors = try? await session.client.sensors().value.items
        let present = undecided.filter { sensors.map($0.isPresent) ?? true }
        if canPrompt {
            reportMissing(undecided.filter { !present.contains($0) }, among: sensors ?? [])
        }
        let open = try await leftByBroker(present + newSensors)
        guard !open.isEmpty, canPrompt else { return }
        guard isTerminal else { throw unanswered(open) }
        for (index, privilege) in open.enumerated() {
            let question = PermissionQuestion(
                app: app.name, version: app.version, title: app.title, privilege: privilege,
                number: index + 1, count: open.count,
                signer: app.signer.map { _ in app.shownSigner },
                isUpdate: app.updatedFrom != nil,
                fields: Self.fields(of: privilege, in: sensors ?? []),
                instances: Self.instances(of: privilege, in: sensors ?? []),
                isNewSensor: newSensors.contains(privilege))
            switch await answer(question) {
            case .decided(let decision, let choice):
                try await run.decide(
                    decision, privilege.id, session, isAnswer: true, among: choice)
                console.say(question.confirmation(of: decision, among: choice))
            case .noAnswer: throw unanswered(Array(open[index...]))
            case .invalid: throw misunderstood(Array(open[index...]))
            case .tooSmall: throw tooSmall(Array(open[index...]))
            case .interrupted:
                throw CommandFailure(.interrupted, "Interrupted: nothing was allowed.")
            }
        }
    }

    /// Asks the policy broker, and reports what it decided for the run.
    ///
    /// - Returns: the privileges that are left to the owner.
    private func leftByBroker(_ open: [Privilege]) async throws -> [Privilege] {
        guard !open.isEmpty else { return [] }
        let decided = try await session.client.consultBroker(
            about: open.map(\.id.description), for: run.run
        ).value.items
        for decision in decided where !console.isJSON {
            let verb = decision.state == "granted" ? "allowed" : "denied"
            let terms = decision.terms == nil ? "" : ", \(decision.termsText)"
            console.say(
                "\(decision.privilege) is \(verb) to \(app.name) by your policy broker\(terms).")
        }
        let names = Set(decided.map(\.privilege))
        return open.filter { !names.contains($0.id.description) }
    }

    /// Prompts for a privilege that a running app requests; without a terminal the app continues
    /// without it.
    ///
    /// - Returns: whether it was decided.
    func answer(_ id: PrivilegeID) async throws -> Bool {
        if flags.allowsAll { return try await decide(.allowOnce, id) }
        guard canPrompt, let privilege = Privilege(asked: id, reason: "") else {
            return try await decide(.denyOnce, id)
        }
        guard Console.inputIsTerminal, Console.messagesAreTerminal, !console.isJSON else {
            return try await leave(privilege, unanswered([privilege]))
        }
        let sensors = try? await session.client.sensors().value
        let question = PermissionQuestion(
            app: app.name, version: app.version, title: app.title, privilege: privilege, number: 1,
            count: 1, signer: app.signer.map { _ in app.shownSigner },
            fields: Self.fields(of: privilege, in: sensors?.items ?? []),
            instances: Self.instances(of: privilege, in: sensors?.items ?? []))
        switch await answer(question) {
        case .decided(let decision, let choice):
            return try await decide(
                decision, id, isAnswer: true, among: choice,
                confirming: question.confirmation(of: decision, among: choice))
        case .noAnswer: return try await leave(privilege, unanswered([privilege]))
        case .invalid: return try await leave(privilege, misunderstood([privilege]))
        case .tooSmall: return try await leave(privilege, tooSmall([privilege]))
        case .interrupted:
            await run.stop(session)
            return true
        }
    }

    private func decide(
        _ decision: Decision, _ id: PrivilegeID, isAnswer: Bool = false,
        among choice: InstanceChoice? = nil, confirming confirmation: String? = nil
    ) async throws -> Bool {
        do {
            try await run.decide(decision, id, session, isAnswer: isAnswer, among: choice)
            if let confirmation { console.say(confirmation) }
        } catch let error as APIError where CommandFailure(error).code == .noInput {
            // The run ended during the prompt.
        }
        return true
    }

    private func leave(
        _ privilege: Privilege, _ failure: CommandFailure
    ) async throws -> Bool {
        console.report(failure)
        do {
            try await session.client.dismissRequest(
                for: privilege.id.description, by: app.name)
        } catch let error as APIError where CommandFailure(error).code == .noInput {
            // It was decided elsewhere, or its call ended.
        }
        return false
    }

    /// Makes the decisions of `--allow-all`, for sensors that this machine has.
    private func allowImplied() async throws {
        guard !flags.implied.isEmpty else { return }
        let sensors = try await session.client.sensors().value.items
        // Privileges that the owner has denied stay denied.
        let refused = app.privileges.filter { $0.state == "denied" && $0.exhausted != true }
        let left = Set(
            (refused + app.privileges.filter { $0.restrictedBy != nil }).map(\.privilege))
        for privilege in refused where privilege.restrictedBy == nil && !console.isJSON {
            guard flags.implied.map(\.description).contains(privilege.privilege) else { continue }
            console.say("\(privilege.privilege) is not granted to \(app.name): you denied it.")
        }
        for privilege in flags.implied where !left.contains(privilege.description) {
            let isKnown = privilege.sensor.map { wanted in
                sensors.contains { SensorID($0.id).map(wanted.covers) ?? false }
            }
            if isKnown ?? true {
                try await run.decide(.allowOnce, privilege, session)
            } else if let privilege = Privilege(asked: privilege, reason: "") {
                reportMissing([privilege], among: sensors)
            }
        }
    }

    /// Reports declared privileges that the policy blocks.
    private func reportRestrictions() {
        guard !console.isJSON else { return }
        for privilege in app.privileges {
            guard let file = privilege.restrictedBy else { continue }
            console.say(
                "\(privilege.privilege) is not granted to \(app.name): it is blocked by \(file).")
        }
    }

    /// Reports declared privileges without further prompts.
    private func reportRefusals() {
        let names = app.privileges.filter { privilege in
            let isDecided = PrivilegeID(privilege.privilege).map(flags.covers) ?? false
            return privilege.exhausted == true && !isDecided
        }.map(\.privilege)
        guard !names.isEmpty, !console.isJSON else { return }
        console.say(
            """
            \(names.joined(separator: ", ")) is not granted to \(app.name): you refused it twice, so \
            you are not asked again.
            To be asked again: nervous permissions reset \(app.name)
            """)
    }

    /// Reports declared sensors that this machine does not have.
    private func reportMissing(_ missing: [Privilege], among sensors: [SensorDescription]) {
        guard !console.isJSON else { return }
        for privilege in missing {
            let known = sensors.first { sensor in
                SensorID(sensor.id).flatMap { privilege.id.sensor?.covers($0) } ?? false
            }
            console.say(
                "\(privilege.id) is not granted to \(app.name):"
                    + " \(known?.unavailable?.reason ?? "no such sensor").")
            if let remedy = known?.unavailable?.remedy { console.say("To get it: \(remedy)") }
            guard let sensor = privilege.id.sensor else { continue }
            let name = known == nil ? sensor : sensor.instance("name")
            console.say("To add one: nervous sensors add \(name) --field NAME:UNIT")
        }
    }

    /// The answer to a prompt, or its interruption by a signal.
    private func answer(_ question: PermissionQuestion) async -> TerminalPrompter.Answer {
        let prompter = TerminalPrompter(gate: console.gate)
        var disposition = sigaction()
        sigaction(SIGHUP, nil, &disposition)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let interruptions = await session.interruptions.listen()
        let answer = await withTaskGroup(of: TerminalPrompter.Answer?.self) { group in
            group.addTask { await prompter.answer(question) }
            group.addTask {
                for await _ in hangups { return .noAnswer }
                return nil
            }
            group.addTask {
                for await _ in interruptions { return .interrupted }
                return nil
            }
            let first = await group.next() ?? nil
            // Wait until the prompter has restored the terminal, and do not lose a signal that
            // arrived with the answer.
            group.cancelAll()
            let rest = await group.reduce(into: []) { $0.append($1) }
            return rest.contains(.interrupted) ? .interrupted : first ?? .noAnswer
        }
        // From now on closing the terminal ends the run again.
        sigaction(SIGHUP, &disposition, nil)
        return answer
    }

    /// Sensors that were added after the owner chose among the sensors of a kind, except those that flags
    /// decide about.
    private var newSensors: [Privilege] {
        app.privileges.flatMap { declared -> [Privilege] in
            guard let kind = declared.question, !flags.covers(kind.id) else { return [] }
            return (declared.newSensors ?? []).compactMap(SensorID.init(_:)).compactMap(kind.about)
        }
    }

    private static func instances(
        of privilege: Privilege, in sensors: [SensorDescription]
    ) -> [SensorInstance] {
        sensors.filter(privilege.isAbout).compactMap { sensor in
            SensorID(sensor.id).map { id in
                SensorInstance(
                    id: id, title: sensor.title, source: sensor.source,
                    newest: sensor.newest.flatMap(Timestamp.init(milliseconds:)))
            }
        }
    }

    private static func fields(
        of privilege: Privilege, in sensors: [SensorDescription]
    ) -> [Field] {
        let found =
            sensors.first(where: privilege.isAbout)
            ?? sensors.first { sensor in
                SensorID(sensor.id).flatMap { privilege.id.sensor?.covers($0) } ?? false
            }
        return (found?.fields ?? []).map { field in
            Field(field.name, unit: field.unit, kind: Field.Kind(rawValue: field.kind) ?? .text)
        }
    }

    // MARK: - Failures

    private func unanswered(_ open: [Privilege]) -> CommandFailure {
        CommandFailure(
            .noPermission,
            "\(app.name) needs \(Self.names(open)), which \(open.count == 1 ? "is" : "are") undecided.",
            hint: "Run it in a terminal, or use: \(command(open))", type: "undecided")
    }

    private func misunderstood(_ open: [Privilege]) -> CommandFailure {
        CommandFailure(
            .noPermission,
            "\(app.name) needs \(Self.names(open)), and three answers were not valid.",
            hint: "Run it again and answer with one of the letters, or use: \(command(open))",
            type: "undecided")
    }

    private func tooSmall(_ open: [Privilege]) -> CommandFailure {
        let (columns, rows) = QuestionText.smallest
        return CommandFailure(
            .noPermission,
            "\(app.name) needs \(Self.names(open)), and the terminal is too small for a prompt.",
            hint: "Use at least \(columns) columns and \(rows) rows, or: \(command(open))",
            type: "undecided")
    }

    private static func names(_ open: [Privilege]) -> String {
        open.map(\.id.description).joined(separator: ", ")
    }

    /// The command with the options that were given, and one for each open privilege.
    private func command(_ open: [Privilege]) -> String {
        let options = flags.decisions.map(\.option) + open.map { "--allow \($0.id)" }
        return "nervous run \(app.name) " + options.joined(separator: " ")
    }
}

extension Privilege {
    /// The same privilege for one sensor of the kind.
    fileprivate func about(_ sensor: SensorID) -> Privilege? {
        id.access.map { Privilege(.sensor(sensor, $0), reason: reason) }
    }

    /// Whether the privilege includes a sensor that is available or has samples.
    fileprivate func isAbout(_ sensor: SensorDescription) -> Bool {
        let isPart = SensorID(sensor.id).flatMap { id.sensor?.covers($0) } ?? false
        return isPart && (sensor.available || sensor.newest != nil)
    }

    /// Whether a sensor of the privilege is available or has samples.
    fileprivate func isPresent(_ sensors: [SensorDescription]) -> Bool {
        id.sensor == nil || sensors.contains(where: isAbout)
    }
}
