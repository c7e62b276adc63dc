import GRDB
import Samples
import Testing

@testable import Auth

/// The sensor that an app reads when the owner chose among those of a kind.
struct InstanceChoiceTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static let indoors: SensorID = "temperature.indoors"
    private static let outdoors: SensorID = "temperature.outdoors"
    private static let attic: SensorID = "temperature.attic"
    private static let kind = PrivilegeID.sensor("temperature", .raw)
    private static let choice = InstanceChoice([indoors], excluding: [outdoors])

    private func run(
        of authority: Authority
    ) async throws -> (run: String, token: String) {
        try await authority.admit(app: "app")
        let (run, token) = try await authority.beginRun(of: "app")
        return (run, token.text)
    }

    /// The sensor that a call gets, or the code with which it is refused.
    private func outcome(
        _ authority: Authority, _ token: String, _ sensor: SensorID, _ access: Access = .raw,
        readable: @Sendable (SensorID) async -> [SensorID] = { [$0] }
    ) async throws -> String {
        do {
            let request = AccessRequest("latest", of: sensor, access)
            return try await authority.checkApp(
                token: token, name: "app", requested: request, readable: readable
            ).sensor.description
        } catch {
            switch error.code {
            case .denied: return "denied"
            case .undecided: return "undecided"
            case .severalSensors: return "several"
            case .statisticsOnly: return "statistics"
            case .restricted: return "restricted"
            default: throw error
            }
        }
    }

    @Test(
        arguments: [
            ("temperature", Access.raw, "temperature.indoors"),
            ("temperature", .stats, "temperature.indoors"), ("temperature", .write, "undecided"),
            ("temperature.indoors", .raw, "temperature.indoors"),
            ("temperature.indoors", .stats, "temperature.indoors"),
            ("temperature.outdoors", .raw, "denied"), ("temperature.outdoors", .stats, "denied"),
            ("temperature.attic", .raw, "undecided"), ("humidity", .raw, "undecided"),
        ] as [(SensorID, Access, String)])
    func `the name of the kind refers to the chosen sensor, and others are refused`(
        sensor: SensorID, access: Access, expected: String
    ) async throws {
        let authority = try await fixture.open()
        let (run, token) = try await run(of: authority)
        let terms = Terms(access: .raw, only: Self.choice)
        for (decision, choice) in [
            (Decision.allowAlways, Self.choice), (.allowOnce, Self.choice), (.allow(terms), nil),
        ] as [(Decision, InstanceChoice?)] {
            try await authority.reset(nil, of: "app")
            try await authority.decide(
                decision, on: Self.kind, by: "app", run: run, among: choice)
            #expect(try await outcome(authority, token, sensor, access) == expected)
        }
    }

    @Test func `with several chosen sensors, the app names one of them`() async throws {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        try await authority.decide(
            .allowAlways, on: Self.kind, by: "app",
            among: InstanceChoice([Self.indoors, Self.attic], excluding: [Self.outdoors]))
        let names: [SensorID] = ["temperature", Self.indoors, Self.attic, Self.outdoors]
        var found: [String] = []
        for name in names { found.append(try await outcome(authority, token, name)) }
        #expect(found == ["several", "temperature.indoors", "temperature.attic", "denied"])
        let client = Client(name: "app", kind: .app, run: nil)
        #expect(await authority.permissions.state(of: Self.kind, for: client) == .granted)
    }

    @Test func `statistics-only for a choice applies to the chosen sensor`() async throws {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        try await authority.decide(
            .statisticsOnly, on: Self.kind, by: "app", among: Self.choice)
        #expect(try await outcome(authority, token, "temperature") == "statistics")
        #expect(try await outcome(authority, token, "temperature", .stats) == "temperature.indoors")
        #expect(try await outcome(authority, token, Self.outdoors, .stats) == "denied")
    }

    @Test func `a denied or restricted sensor is not available by the name of its kind`()
        async throws
    {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        try await authority.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        try await authority.decide(
            .deny, on: PrivilegeID.sensor(Self.indoors, .stats), by: "app")
        #expect(try await outcome(authority, token, "temperature") == "denied")
        #expect(try await outcome(authority, token, "temperature", .stats) == "denied")

        let strict = try await fixture.open(restricted: ["sensor:temperature.indoors"])
        let (_, other) = try await run(of: strict)
        #expect(try await outcome(strict, other, "temperature") == "restricted")
        let code = await refusal {
            try await strict.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        }
        #expect(code == .restricted)
    }

    @Test func `a new sensor is asked for separately, and the answer keeps the choice`()
        async throws
    {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        let declared = Privilege(.sensor("temperature", .raw), reason: "")
        let present = [Self.attic, Self.indoors, Self.outdoors]
        func newSensors() async -> [SensorID] {
            await authority.permissions.newSensors(
                of: declared, for: "app", among: present)
        }
        #expect(await newSensors() == [])
        try await authority.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        #expect(await newSensors() == [Self.attic])
        try await authority.decide(
            .allowAlways, on: PrivilegeID.sensor(Self.attic, .raw), by: "app")
        #expect(await newSensors() == [])
        #expect(try await outcome(authority, token, Self.attic) == "temperature.attic")
        #expect(try await outcome(authority, token, "temperature") == "temperature.indoors")
        try await authority.decide(
            .deny, on: PrivilegeID.sensor(Self.attic, .raw), by: "app")
        #expect(await newSensors() == [])
        #expect(try await outcome(authority, token, Self.attic) == "denied")
        // A grant of the whole kind has no new sensors.
        try await authority.reset(nil, of: "app")
        try await authority.decide(.allowAlways, on: Self.kind, by: "app")
        #expect(await newSensors() == [])
        #expect(try await outcome(authority, token, Self.attic) == "temperature.attic")
    }

    @Test func `a flag for one run has precedence over stored decisions`() async throws {
        let authority = try await fixture.open()
        let (run, token) = try await run(of: authority)
        try await authority.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        try await authority.decide(
            .allowOnce, on: Self.kind, by: "app", run: run, among: InstanceChoice([Self.outdoors]))
        #expect(try await outcome(authority, token, "temperature") == "temperature.outdoors")
        #expect(try await outcome(authority, token, Self.indoors) == "temperature.indoors")
    }

    /// Decisions, the readable sensors, and the outcome of a call with the kind's name.
    @Test(
        arguments: [
            // Nothing was decided about the kind.
            ([], [attic], .raw, "undecided"),
            ([("sensor:temperature.attic", true)], [attic], .raw, "temperature.attic"),
            ([("sensor:temperature.attic", true)], [attic, indoors], .raw, "temperature.attic"),
            ([("sensor:temperature.attic", true)], [indoors], .raw, "undecided"),
            ([("sensor:temperature.attic:stats", true)], [attic], .stats, "temperature.attic"),
            // The kind was allowed.
            ([("sensor:temperature", true)], [attic], .raw, "temperature.attic"),
            ([("sensor:temperature", true)], [attic], .stats, "temperature.attic"),
            ([("sensor:temperature", true)], [attic, indoors], .raw, "several"),
            ([("sensor:temperature", true)], [], .raw, "temperature"),
            ([("sensor:temperature", true)], ["temperature"], .raw, "temperature"),
            ([("sensor:temperature:write", true)], [attic], .write, "temperature"),
            ([("sensor:temperature:stats", true)], [attic], .raw, "statistics"),
            // Some of it was denied.
            ([("sensor:temperature", false)], [attic], .raw, "denied"),
            (
                [("sensor:temperature", true), ("sensor:temperature.attic", false)],
                [attic, indoors], .raw, "temperature.indoors"
            ),
            (
                [("sensor:temperature", true), ("sensor:temperature.attic", false)], [attic],
                .raw, "denied"
            ),
        ] as [([(String, Bool)], [SensorID], Access, String)])
    func `without a choice the kind's name refers to the only sensor that the app may read`(
        decisions: [(String, Bool)], readable: [SensorID], access: Access, expected: String
    ) async throws {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        for (privilege, isAllowed) in decisions {
            try await authority.decide(
                isAllowed ? .allowAlways : .deny, on: try #require(PrivilegeID(privilege)),
                by: "app")
        }
        let found = try await outcome(
            authority, token, "temperature", access, readable: { _ in readable })
        #expect(found == expected)
    }

    @Test func `the owner must name one of several readable sensors of a kind`() async throws {
        let authority = try await fixture.open()
        let request = AccessRequest("latest", of: "temperature", .raw)
        for (readable, expected) in [
            ([Self.attic], "temperature.attic"), ([], "temperature"),
            ([Self.attic, Self.indoors], "severalSensors"),
        ] {
            let found: String
            do {
                found = try await authority.checkApp(
                    token: authority.ownerToken.text, name: nil, requested: request,
                    readable: { _ in readable }
                ).sensor.description
            } catch {
                found = "\(error.code)"
            }
            #expect(found == expected)
        }
    }

    @Test func `lists contain only the chosen sensors`() async throws {
        let authority = try await fixture.open()
        _ = try await run(of: authority)
        try await authority.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        let client = Client(name: "app", kind: .app, run: nil)
        var found: [SensorPermission?] = []
        for sensor in [Self.indoors, Self.outdoors, Self.attic] {
            found.append(await authority.permissions.permission(of: client, for: sensor))
        }
        #expect(found == [.granted, nil, nil])
        #expect(await authority.permissions.isExcluded(Self.outdoors, for: client))
        #expect(await !authority.permissions.isExcluded(Self.indoors, for: client))
        #expect(await authority.permissions.resolve("temperature", by: client) == Self.indoors)
        #expect(await authority.permissions.resolve("temperature", by: .owner) == "temperature")
    }

    @Test func `a choice survives a restart, and an unreadable list grants nothing`()
        async throws
    {
        let terms = Terms(access: .raw, maximumRate: 2, only: Self.choice)
        do {
            let authority = try await fixture.open()
            _ = try await run(of: authority)
            try await authority.decide(.allow(terms), on: Self.kind, by: "app")
        }
        #expect(try await fixture.open().permissions.records(of: "app").map(\.terms) == [terms])
        for broken in ["Temperature", "", "temperature.indoors ../x"] {
            try await DatabaseQueue(path: fixture.path).write { database in
                try database.execute(
                    sql: "UPDATE permission SET chosen = ?", arguments: [broken])
            }
            #expect(try await fixture.open().permissions.records(of: "app").isEmpty)
        }
    }

    @Test func `a database of a version without choices grants the same after migration`()
        async throws
    {
        do {
            let authority = try await fixture.open()
            _ = try await run(of: authority)
            try await authority.decide(.allowAlways, on: Self.kind, by: "app")
        }
        try await DatabaseQueue(path: fixture.path).write { database in
            try database.execute(
                sql: """
                    ALTER TABLE permission DROP COLUMN chosen;
                    ALTER TABLE permission DROP COLUMN passedOver;
                    DELETE FROM grdb_migrations WHERE identifier = 'instances';
                    """)
        }
        let authority = try await fixture.open()
        let records = await authority.permissions.records(of: "app")
        #expect(records.map(\.terms) == [Terms(access: .raw)])
        let (_, token) = try await run(of: authority)
        for sensor in ["temperature", Self.indoors, Self.attic] {
            #expect(try await outcome(authority, token, sensor) == sensor.description)
        }
    }

    @Test(
        arguments: [
            ([], []), (["humidity.indoors"], []), (["temperature.indoors"], ["humidity"]),
            (["temperature"], (0..<256).map { SensorID("temperature.t\($0)") ?? "temperature" }),
        ] as [([SensorID], [SensorID])])
    func `an empty, foreign or too long choice is rejected`(
        chosen: [SensorID], others: [SensorID]
    ) async throws {
        let authority = try await fixture.open()
        _ = try await run(of: authority)
        let code = await refusal {
            try await authority.decide(
                .allowAlways, on: Self.kind, by: "app",
                among: InstanceChoice(chosen, excluding: others))
        }
        #expect(code == .invalidPrivilege)
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test(arguments: [
        ("sensor:temperature:stats", "sensor:temperature:stats [temperature.indoors]"),
        ("sensor:temperature.indoors", "sensor:temperature.indoors [temperature.indoors]"),
        ("sensor:temperature.outdoors", ""), ("sensor:temperature.attic", ""),
    ])
    func `an update that declares less keeps only the remaining part of the choice`(
        declared: String, kept: String
    ) throws {
        let change = DeclarationChange(
            from: DeclaredApp.privileges(in: "sensor:temperature"),
            to: DeclaredApp.privileges(in: declared))
        let record = PermissionRecord(
            client: "app", privilege: Self.kind, state: .granted,
            terms: Terms(access: .raw, only: Self.choice), run: nil,
            decided: Timestamp(microseconds: 1))
        let records = change.records(after: [record]).map { record in
            "\(record.privilege) \(record.terms?.only?.chosen ?? [])"
        }
        #expect(records == (kept.isEmpty ? [] : [kept]))
    }

    @Test func `the log contains the chosen sensors, and the sensor that was read`()
        async throws
    {
        let authority = try await fixture.open()
        let (_, token) = try await run(of: authority)
        try await authority.decide(.allowAlways, on: Self.kind, by: "app", among: Self.choice)
        _ = try await outcome(authority, token, Self.outdoors)
        let lines = try await authority.log.entries(AccessLogQuery())
        #expect(
            lines.first { $0.privilege == "sensor:temperature" }?.detail
                == "raw, only temperature.indoors")
        #expect(lines.first { $0.outcome == .refused }?.sensor == "temperature.outdoors")
    }
}
