import Samples
import TestSupport
import Testing

@testable import Auth

/// Apps that ask at first use, and the owner's answers.
struct CheckAppTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    /// An authority with an app that asks at first use, a run of it, and an owner who answers.
    private struct AskingApp {
        let authority: Authority
        let run: String
        let token: Token
        let owner: ScriptedOwner?

        /// - Parameter answers: `nil` if the test decides itself.
        init(_ fixture: AuthorityFixture, _ answers: [Decision?]? = nil) async throws {
            authority = try await fixture.open()
            try await authority.admitAskingApp()
            (run, token) = try await authority.beginRun(of: "app")
            if let answers {
                owner = await ScriptedOwner(answers, run: run, of: authority)
            } else {
                owner = nil
            }
        }

        func check(_ request: AccessRequest = request()) async throws(AuthError) -> Grant {
            try await authority.checkApp(token: token.text, name: "app", requested: request)
        }
    }

    private static func request(
        _ sensor: SensorID = "cpu", _ access: Access = .raw
    ) -> AccessRequest {
        AccessRequest("samples", of: sensor, access)
    }

    @Test func `the owner is asked once about an unknown request, and the answer is recorded`()
        async throws
    {
        let app = try await AskingApp(fixture, [.allowAlways])
        #expect(await app.authority.permissions.records(of: "app").isEmpty)
        for _ in 1...3 {
            let grant = try await app.check()
            #expect(grant.client == "app")
            #expect(grant.terms == Terms(access: .raw))
        }
        #expect(app.owner?.requests.map(\.privilege.description) == ["sensor:cpu"])
        let records = await app.authority.permissions.records(of: "app")
        #expect(records.map(\.state) == [.granted])
        #expect(records.map(\.privilege.description) == ["sensor:cpu"])
        // The record is in the database, too.
        #expect(try await fixture.open().permissions.records(of: "app") == records)
    }

    @Test func `stored grants and denials do not ask the owner`() async throws {
        let app = try await AskingApp(fixture, [.allowAlways, .allowAlways])
        try await app.authority.decide(
            .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "app")
        try await app.authority.decide(
            .deny, on: PrivilegeID.sensor("memory", .raw), by: "app")
        _ = try await app.check()
        let code = await refusal { _ = try await app.check(Self.request("memory")) }
        #expect(code == .denied)
        #expect(app.owner?.requests.isEmpty == true)
        #expect(await app.authority.pendingRequests().isEmpty)
    }

    @Test func `a changed request asks again`() async throws {
        let app = try await AskingApp(fixture, [.allowAlways, .deny, .allowAlways])
        func ask(_ request: AccessRequest) async -> AuthError.Code? {
            await refusal { _ = try await app.check(request) }
        }
        #expect(await ask(Self.request("cpu", .stats)) == nil)
        #expect(await ask(Self.request("cpu", .write)) == .denied)
        #expect(await ask(Self.request("cpu", .raw)) == nil)
        #expect(
            app.owner?.requests.map(\.privilege.description) == [
                "sensor:cpu:stats", "sensor:cpu:write", "sensor:cpu",
            ])
    }

    @Test func `a dismissed request is refused, not recorded, and logged`() async throws {
        let app = try await AskingApp(fixture, [nil])
        #expect(await refusal { _ = try await app.check() } == .undecided)
        #expect(app.owner?.requests.count == 1)
        #expect(await app.authority.permissions.records(of: "app").isEmpty)
        let line = try await app.authority.log.entries(AccessLogQuery()).first
        #expect(line?.client == "app")
        #expect(line?.sensor == "cpu")
        #expect(line?.outcome == .refused)
    }

    @Test(arguments: [
        (Decision.allowOnce, nil), (.denyOnce, AuthError.Code.denied), (.deny, .denied),
        (.statisticsOnly, .statisticsOnly),
        (.allow(Terms(access: .raw, maximumRate: 2)), nil),
    ])
    func `each answer takes effect immediately`(
        answer: Decision, expected: AuthError.Code?
    ) async throws {
        let app = try await AskingApp(fixture, [answer])
        #expect(await refusal { _ = try await app.check() } == expected)
        #expect(app.owner?.requests.count == 1)
    }

    @Test func `concurrent calls for the same privilege share one request`() async throws {
        let app = try await AskingApp(fixture)
        try await withThrowingTaskGroup { group in
            for _ in 1...RequestTable.waitingLimit {
                group.addTask { _ = try await app.check() }
            }
            try await until {
                await app.authority.pendingRequests().first?.waiting == RequestTable.waitingLimit
            }
            #expect(await app.authority.pendingRequests().count == 1)
            try await app.authority.decide(
                .allowAlways, on: Self.request().privilege, by: "app", run: app.run,
                isAnswer: true)
            try await group.waitForAll()
        }
        #expect(await app.authority.permissions.records(of: "app").count == 1)
    }

    @Test func `a decision of another command answers an open request`() async throws {
        let app = try await AskingApp(fixture)
        async let code = refusal { _ = try await app.check() }
        try await app.authority.untilAsked()
        try await app.authority.decide(.deny, on: Self.request().privilege, by: "app")
        #expect(await code == .denied)
        #expect(await app.authority.pendingRequests().isEmpty)
        #expect(await app.authority.permissions.records(of: "app").map(\.state) == [.denied])
    }

    @Test func `a token that ends while a request is open grants nothing`() async throws {
        let app = try await AskingApp(fixture)
        async let code = refusal { _ = try await app.check() }
        try await app.authority.untilAsked()
        try await app.authority.forget(client: "app")
        #expect(await code == .invalidToken)
        let late = await refusal {
            try await app.authority.decide(
                .allowAlways, on: Self.request().privilege, by: "app", run: app.run,
                isAnswer: true)
        }
        #expect(late == .notFound)
        #expect(await app.authority.permissions.records().isEmpty)
    }

    @Test func `a request that is not answered in time is refused, and stays open`() async throws {
        let app = try await AskingApp(fixture)
        async let code = refusal { _ = try await app.check() }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(45))
        #expect(await code == .undecided)
        #expect(await app.authority.pendingRequests().map(\.waiting) == [0])
    }
}
