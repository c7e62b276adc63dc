import Foundation
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Auth

/// Requests of running apps.
struct RequestTests {
    private static let accelerometer = PrivilegeID.sensor(sensor, .raw)
    private static let sensor: SensorID = "accelerometer"

    /// An authority with a published or a current app.
    private struct RequestingApp {
        let authority: Authority
        let run: String
        let token: String

        /// - Parameter waits: whether calls wait for an answer.
        init(
            _ fixture: AuthorityFixture, isOld: Bool = true, waits: Bool = true
        ) async throws {
            authority = try await fixture.open(timeLimit: waits ? .seconds(45) : .zero)
            try await authority.admit(
                DeclaredApp(
                    name: "old", identity: "1",
                    privileges: isOld ? [] : [Privilege(.sensor(sensor, .raw), reason: "")],
                    asksAtFirstUse: isOld))
            let begun = try await authority.beginRun(of: "old")
            (run, token) = (begun.run, begun.token.text)
        }

        func read() async throws -> Grant {
            try await authority.checkApp(
                token: token, name: "old", requested: AccessRequest("latest", of: sensor, .raw))
        }

        /// Waits until a request is open.
        func opened() async throws {
            try await authority.untilAsked()
        }
    }

    @Test(arguments: [Decision.allowAlways, .allowOnce])
    func `a call of a published app waits for the answer`(decision: Decision) async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        async let grant = lab.read()
        try await lab.opened()
        let pending = await lab.authority.pendingRequests()
        #expect(pending.map(\.privilege) == [Self.accelerometer])
        #expect(pending.first?.run == lab.run)
        try await lab.authority.decide(
            decision, on: Self.accelerometer, by: "old", run: lab.run, isAnswer: true)
        #expect(try await grant.client == "old")
        #expect(await lab.authority.pendingRequests().isEmpty)
        // The next call does not ask again.
        #expect(try await lab.read().sensor == Self.sensor)
    }

    @Test func `a denial ends the wait with a refusal`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        async let code = refusal { _ = try await lab.read() }
        try await lab.opened()
        try await lab.authority.decide(.deny, on: Self.accelerometer, by: "old")
        #expect(await code == .denied)
        #expect(await refusal { _ = try await lab.read() } == .denied)
        #expect(await lab.authority.pendingRequests().isEmpty)
    }

    @Test func `after a timeout further calls do not wait, and the request can be allowed later`()
        async throws
    {
        let lab = try await RequestingApp(try AuthorityFixture(), waits: false)
        #expect(await refusal { _ = try await lab.read() } == .undecided)
        #expect(await refusal { _ = try await lab.read() } == .undecided)
        #expect(await lab.authority.pendingRequests().count == 1)
        try await lab.authority.decide(.allowAlways, on: Self.accelerometer, by: "old")
        #expect(try await lab.read().client == "old")
    }

    @Test func `without an owner to ask, the call is refused immediately`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        let requests = await lab.authority.watchRequests(of: lab.run)
        async let code = refusal { _ = try await lab.read() }
        for await request in requests {
            #expect(request.privilege == Self.accelerometer)
            try await lab.authority.dismissRequest(request.privilege, of: request.app)
            break
        }
        #expect(await code == .undecided)
        let gone = await refusal {
            try await lab.authority.dismissRequest(Self.accelerometer, of: "other")
        }
        #expect(gone == .notFound)
    }

    @Test func `the number of waiting calls leaves connections for the browser`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        try await withThrowingTaskGroup(of: AuthError.Code?.self) { group in
            for _ in 0..<10 { group.addTask { await refusal { _ = try await lab.read() } } }
            var refused = 0
            while refused < 10 - RequestTable.waitingLimit {
                #expect(try await group.next() == .some(.undecided))
                refused += 1
            }
            #expect(
                await lab.authority.pendingRequests().first?.waiting == RequestTable.waitingLimit)
            try await lab.authority.decide(.allowAlways, on: Self.accelerometer, by: "old")
            for try await code in group { #expect(code == nil) }
        }
    }

    @Test func `the number of open requests of an app is limited`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture(), waits: false)
        for number in 0..<50 {
            let id = try #require(SensorID("thing\(number)"))
            _ = await refusal {
                _ = try await lab.authority.checkApp(
                    token: lab.token, name: "old", requested: AccessRequest("latest", of: id, .raw))
            }
        }
        #expect(await lab.authority.pendingRequests().count == RequestTable.appLimit)
    }

    @Test func `requests end with their run, token or app`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        async let code = refusal { _ = try await lab.read() }
        try await lab.opened()
        try await lab.authority.endRun(lab.run)
        #expect(await code == .invalidToken)
        #expect(await lab.authority.pendingRequests().isEmpty)
    }

    @Test
    func `an app with a declaration is refused immediately, and can request what it declares`()
        async throws
    {
        let lab = try await RequestingApp(try AuthorityFixture(), isOld: false)
        #expect(await refusal { _ = try await lab.read() } == .undecided)
        #expect(await lab.authority.pendingRequests().isEmpty)
        let other = PrivilegeID.sensor(Self.sensor, .write)
        let undeclared = await refusal {
            _ = try await lab.authority.request(
                other, token: lab.token, name: "old", isAvailable: true)
        }
        #expect(undeclared == .undeclared)
        async let state = lab.authority.request(
            Self.accelerometer, token: lab.token, name: "old", isAvailable: true)
        try await lab.opened()
        try await lab.authority.decide(.allowAlways, on: Self.accelerometer, by: "old")
        #expect(try await state == .granted)
    }

    @Test(arguments: [
        ("accelerometr", "Did you mean sensor:accelerometer, which it declares?"),
        ("glucose", "Add it to the privileges, with a reason."),
    ])
    func `the use of a sensor that is not declared is refused as such, whether it exists or not`(
        name: String, hint: String
    ) async throws {
        let lab = try await RequestingApp(try AuthorityFixture(), isOld: false)
        let sensor = try #require(SensorID(name))
        for found in [[], [sensor]] {
            let error = await #expect(throws: AuthError.self) {
                try await lab.authority.checkApp(
                    token: lab.token, name: "old",
                    requested: AccessRequest("latest", of: sensor, .raw)
                ) { _ in found }
            }
            #expect(error?.code == .undeclared)
            #expect(error?.message == "old does not declare sensor:\(name) in its package.json.")
            #expect(error?.hint == hint)
        }
        // What the owner has decided about it is said first.
        try await lab.authority.decide(
            .deny, on: PrivilegeID.sensor(sensor, .raw), by: "old")
        let denied = await refusal {
            _ = try await lab.authority.checkApp(
                token: lab.token, name: "old",
                requested: AccessRequest("latest", of: sensor, .raw))
        }
        #expect(denied == .denied)
    }

    @Test(arguments: [PrivilegeID.storage, .notify, .identity])
    func `the use of another privilege that is not declared is refused as such`(
        privilege: PrivilegeID
    ) async throws {
        let lab = try await RequestingApp(try AuthorityFixture(), isOld: false)
        let error = await #expect(throws: AuthError.self) {
            try await lab.authority.checkApp(
                token: lab.token, name: "old", requested: privilege, operation: "use")
        }
        #expect(error?.code == .undeclared)
        #expect(error?.message == "old does not declare \(privilege) in its package.json.")
    }

    @Test(arguments: [false, true])
    func `a request that is denied this time is always answered with denied`(
        endsRun: Bool
    ) async throws {
        for _ in 0..<100 {
            let lab = try await RequestingApp(try AuthorityFixture(), isOld: false)
            async let state = lab.authority.request(
                Self.accelerometer, token: lab.token, name: "old", isAvailable: true)
            try await lab.opened()
            try await lab.authority.decide(
                .denyOnce, on: Self.accelerometer, by: "old", run: lab.run, isAnswer: true)
            // The page may be left, and the run may end, before the call has been resumed.
            if endsRun { try await lab.authority.endRun(lab.run) }
            #expect(try await state == .denied)
        }
    }

    @Test func `a sensor that the machine lacks is not asked for`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        let code = await refusal {
            _ = try await lab.authority.checkApp(
                token: lab.token, name: "old",
                requested: AccessRequest("latest", of: Self.sensor, .raw)
            ) { _ in [] }
        }
        #expect(code == .undecided)
        #expect(await lab.authority.pendingRequests().isEmpty)
    }

    @Test func `each app has a different device number, which ends with its identity`() async throws
    {
        let fixture = try AuthorityFixture()
        let lab = try await RequestingApp(fixture)
        let authority = lab.authority
        try await authority.decide(.allowAlways, on: .identity, by: "old")
        let client = try await authority.checkApp(
            token: lab.token, name: "old", requested: .identity, operation: "number")
        let number = try await authority.deviceNumber(for: client)
        #expect(try await authority.deviceNumber(for: client) == number)
        try await authority.admit(
            DeclaredApp(name: "new", identity: "2", privileges: [], asksAtFirstUse: true))
        let other = Client(name: "new", kind: .app, run: nil)
        #expect(try await authority.deviceNumber(for: other) != number)
        // It is the same after a restart; another app of the same name gets another.
        let again = try await fixture.open()
        #expect(try await again.deviceNumber(for: client) == number)
        try await again.admit(
            DeclaredApp(name: "old", identity: "3", privileges: [], asksAtFirstUse: true))
        #expect(try await again.deviceNumber(for: client) != number)
        #expect(await refusal { _ = try await again.deviceNumber(for: .owner) } == .notFound)
    }

    @Test func `the device number requires permission like a sensor`() async throws {
        let lab = try await RequestingApp(try AuthorityFixture())
        func number() async throws {
            _ = try await lab.authority.checkApp(
                token: lab.token, name: "old", requested: .identity, operation: "number")
        }
        async let first = refusal { try await number() }
        try await lab.opened()
        try await lab.authority.decide(.deny, on: .identity, by: "old")
        #expect(await first == .denied)
        #expect(await refusal { try await number() } == .denied)
        try await lab.authority.decide(.allowAlways, on: .identity, by: "old")
        #expect(await refusal { try await number() } == nil)
    }
}
