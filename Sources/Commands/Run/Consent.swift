import Auth
import Foundation
import Glibc
import Host
import API
import Samples
import UnixSignals

/// Leaves nothing that an app declares without an answer before it runs, or ends the command.
///
/// What flags decide holds for the run; what they leave open is put to the person.
struct Consent: Sendable {
    let app: AppDescription
    let ticket: Ticket
    let session: HostSession
    let console: Console
    let flags: FlagDecisions
    /// Whether the person may be asked at all; what is open is refused otherwise.
    let mayAsk: Bool

    /// - Throws: `noPermission` when nobody answers, `interrupted` when the person ends it.
    func settle() async throws {
        for flag in flags.decisions { try await ticket.decide(flag, session) }
        try await allowBlanket()
        tellOfRestrictions()
        tellOfRefusals()
        let undecided = app.privileges.filter { $0.state == "prompt" }.compactMap(\.question)
            .filter { !flags.covers($0.id) }
        let isTerminal = Console.inputIsTerminal && Console.talkIsTerminal && !console.isJSON
        // The kind has an answer: a run that nobody is there for goes on without what is new.
        let newcomers = isTerminal ? self.newcomers : []
        guard !undecided.isEmpty || !newcomers.isEmpty, mayAsk else { return }
        // A question can do without the fields, and is put where nobody can tell what there is.
        let sensors = try? await session.client.get(
            ItemList<SensorDescription>.self, "/api/v1/sensors"
        ).items
        let there = undecided.filter { sensors.map($0.isThere) ?? true }
        tellOfMissing(undecided.filter { !there.contains($0) }, among: sensors ?? [])
        let open = there + newcomers
        guard !open.isEmpty else { return }
        guard isTerminal else { throw unanswered(open) }
        for (index, privilege) in open.enumerated() {
            let question = PermissionQuestion(
                app: app.name, version: app.version, title: app.title, privilege: privilege,
                number: index + 1, count: open.count,
                signer: app.signer.map { _ in app.shownSigner },
                isUpdate: app.updatedFrom != nil,
                fields: Self.fields(of: privilege, in: sensors ?? []),
                instances: Self.instances(of: privilege, in: sensors ?? []),
                isNewcomer: newcomers.contains(privilege))
            switch await answer(question) {
            case .decided(let decision, let choice):
                try await ticket.decide(
                    decision, privilege.id, session, isAnswer: true, among: choice)
            case .nobody: throw unanswered(Array(open[index...]))
            case .tooSmall: throw tooSmall(Array(open[index...]))
            case .interrupted: throw CommandFailure(.interrupted, "Interrupted: that was no yes.")
            }
        }
    }

    /// Puts to the person what the app wants first while it runs, and asks nobody where nobody can
    /// answer: the app goes on without it.
    ///
    /// - Returns: whether there was an answer.
    func answer(_ id: PrivilegeID) async throws -> Bool {
        if flags.allowsAll { return try await keep(.allowOnce, id) }
        guard mayAsk, let privilege = Privilege(asked: id, reason: "") else {
            return try await keep(.denyOnce, id)
        }
        guard Console.inputIsTerminal, Console.talkIsTerminal, !console.isJSON else {
            return try await leave(privilege, unanswered([privilege]))
        }
        let sensors = try? await session.client.get(
            ItemList<SensorDescription>.self, "/api/v1/sensors")
        let question = PermissionQuestion(
            app: app.name, version: app.version, title: app.title, privilege: privilege, number: 1,
            count: 1, signer: app.signer.map { _ in app.shownSigner },
            fields: Self.fields(of: privilege, in: sensors?.items ?? []),
            instances: Self.instances(of: privilege, in: sensors?.items ?? []))
        switch await answer(question) {
        case .decided(let decision, let choice):
            return try await keep(decision, id, isAnswer: true, among: choice)
        case .nobody: return try await leave(privilege, unanswered([privilege]))
        case .tooSmall: return try await leave(privilege, tooSmall([privilege]))
        case .interrupted:
            await ticket.stop(session)
            return true
        }
    }

    private func keep(
        _ decision: Decision, _ id: PrivilegeID, isAnswer: Bool = false,
        among choice: InstanceChoice? = nil
    ) async throws -> Bool {
        do {
            try await ticket.decide(decision, id, session, isAnswer: isAnswer, among: choice)
        } catch let gone as CommandFailure where gone.code == .noInput {
            // The run ended while the question stood.
        }
        return true
    }

    private func leave(
        _ privilege: Privilege, _ failure: CommandFailure
    ) async throws -> Bool {
        console.report(failure)
        let parts = [app.name, privilege.id.description].map(ControlClient.segment)
        do {
            _ = try await session.client.data(
                .delete, "/api/v1/requests/\(parts.joined(separator: "/"))")
        } catch let gone as CommandFailure where gone.code == .noInput {
            // It was answered elsewhere, or its call has gone.
        }
        return false
    }

    /// Allows everything that the flags do not name, as far as there is something to allow: nobody said
    /// that this machine has it all.
    private func allowBlanket() async throws {
        guard !flags.blanket.isEmpty else { return }
        let sensors = try await session.client.get(
            ItemList<SensorDescription>.self, "/api/v1/sensors"
        ).items
        let restricted = Set(app.privileges.filter { $0.restrictedBy != nil }.map(\.privilege))
        for privilege in flags.blanket where !restricted.contains(privilege.description) {
            let isKnown = privilege.sensor.map { wanted in
                sensors.contains { SensorID($0.id).map(wanted.covers) ?? false }
            }
            if isKnown ?? true {
                try await ticket.decide(.allowOnce, privilege, session)
            } else if let privilege = Privilege(asked: privilege, reason: "") {
                tellOfMissing([privilege], among: sensors)
            }
        }
    }

    /// Says what the app declares and nobody is given.
    private func tellOfRestrictions() {
        guard !console.isJSON else { return }
        for privilege in app.privileges {
            guard let file = privilege.restrictedBy else { continue }
            console.say(
                "\(app.name) is not given \(privilege.privilege), and you are not asked: nobody is"
                    + " given it on this machine, by \(file).")
        }
    }

    /// Says why something that the app declares is not asked.
    private func tellOfRefusals() {
        let names = app.privileges.filter { privilege in
            let isDecided = PrivilegeID(privilege.privilege).map(flags.covers) ?? false
            return privilege.exhausted == true && !isDecided
        }.map(\.privilege)
        guard !names.isEmpty, !console.isJSON else { return }
        console.say(
            """
            \(app.name) may not use \(names.joined(separator: ", ")): you said no twice, so it is \
            not asked again.
            To be asked again: nervous permissions reset \(app.name)
            """)
    }

    /// Says what the app declares and the machine has not got: nobody is asked for it.
    private func tellOfMissing(_ missing: [Privilege], among sensors: [SensorDescription]) {
        guard !console.isJSON else { return }
        for privilege in missing {
            let reason = sensors.first { $0.id == privilege.id.sensor?.description }?.unavailable?
                .reason
            console.say(
                "\(app.name) is not given \(privilege.id), and you are not asked:"
                    + " \(reason ?? "there is no such sensor").")
        }
    }

    /// The person's answer; a signal to end is one, too.
    private func answer(_ question: PermissionQuestion) async -> TerminalPrompter.Answer {
        let prompter = TerminalPrompter(gate: console.gate)
        var disposition = sigaction()
        sigaction(SIGHUP, nil, &disposition)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let interruptions = await session.interruptions.listen()
        let answer = await withTaskGroup(of: TerminalPrompter.Answer?.self) { group in
            group.addTask { await prompter.answer(question) }
            group.addTask {
                for await _ in hangups { return .nobody }
                return nil
            }
            group.addTask {
                for await _ in interruptions { return .interrupted }
                return nil
            }
            let first = await group.next() ?? nil
            // The prompter gives the terminal back before this goes on, and a signal that came together
            // with the answer is not lost.
            group.cancelAll()
            let rest = await group.reduce(into: []) { $0.append($1) }
            return rest.contains(.interrupted) ? .interrupted : first ?? .nobody
        }
        // Whoever closes the terminal later means the whole run again.
        sigaction(SIGHUP, &disposition, nil)
        return answer
    }

    /// What came after the person had chosen among the sensors of a kind, and the flags do not name.
    private var newcomers: [Privilege] {
        app.privileges.flatMap { declared -> [Privilege] in
            guard let kind = declared.question, !flags.covers(kind.id) else { return [] }
            return (declared.newcomers ?? []).compactMap(SensorID.init(_:)).compactMap(kind.about)
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
        let found = sensors.first { sensor in
            SensorID(sensor.id).flatMap { privilege.id.sensor?.covers($0) } ?? false
        }
        return (found?.fields ?? []).map { field in
            Field(field.name, unit: field.unit, kind: Field.Kind(rawValue: field.kind) ?? .text)
        }
    }

    // MARK: - Failures

    private func unanswered(_ open: [Privilege]) -> CommandFailure {
        CommandFailure(
            .noPermission, "\(app.name) asks for \(Self.names(open)), and nobody answered.",
            hint: "Run it in a terminal, or decide here: \(command(open))", type: "undecided")
    }

    private func tooSmall(_ open: [Privilege]) -> CommandFailure {
        let (columns, rows) = QuestionText.smallest
        return CommandFailure(
            .noPermission,
            "\(app.name) asks for \(Self.names(open)), and the terminal is too small to ask.",
            hint: "Give it \(columns) columns and \(rows) rows, or decide here: \(command(open))",
            type: "undecided")
    }

    private static func names(_ open: [Privilege]) -> String {
        open.map(\.id.description).joined(separator: ", ")
    }

    private func command(_ open: [Privilege]) -> String {
        "nervous run \(app.name) " + open.map { "--allow \($0.id)" }.joined(separator: " ")
    }
}

extension Privilege {
    /// The same about one sensor of the kind.
    fileprivate func about(_ sensor: SensorID) -> Privilege? {
        id.access.map { Privilege(.sensor(sensor, $0), reason: reason) }
    }

    /// Whether a sensor is one that it is about, and is here or has left samples.
    fileprivate func isAbout(_ sensor: SensorDescription) -> Bool {
        let isPart = SensorID(sensor.id).flatMap { id.sensor?.covers($0) } ?? false
        return isPart && (sensor.available || sensor.newest != nil)
    }

    /// Whether this machine has what it is about, or had it and kept samples.
    fileprivate func isThere(_ sensors: [SensorDescription]) -> Bool {
        id.sensor == nil || sensors.contains(where: isAbout)
    }
}
