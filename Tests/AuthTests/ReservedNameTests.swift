import Foundation
import Samples
import Testing

@testable import Auth

/// Owners, apps and programs are distinguished by their kind, whatever their names.
struct ReservedNameTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    @Test(arguments: ReservedNames.all)
    func `no token is created under a reserved name, in any case`(name: String) async throws {
        let authority = try await fixture.open()
        for spelling in [name, name.uppercased(), name.capitalized] {
            #expect(ReservedNames.contains(spelling))
            for isOwner in [false, true] {
                let code = await refusal {
                    _ = try await authority.createClient(spelling, isOwner: isOwner, expires: nil)
                }
                #expect(code == .nameTaken)
            }
        }
        #expect(await authority.clientTokens().isEmpty)
    }

    @Test(arguments: ReservedNames.all)
    func `a name that only resembles a reserved one is free`(name: String) async throws {
        let authority = try await fixture.open()
        for near in ["my-\(name)", "\(name)-2", "\(name)x"] {
            #expect(!ReservedNames.contains(near))
            _ = try await authority.createClient(near, isOwner: false, expires: nil)
        }
        #expect(await authority.clientTokens().count == 3)
    }

    /// An earlier version may have admitted such an app.
    @Test(arguments: ReservedNames.all)
    func `an existing app with a reserved name does not affect the owner's token`(
        name: String
    ) async throws {
        let authority = try await fixture.open()
        let owner = authority.ownerToken.text
        func checkOwner() async throws {
            let client = try await authority.identify(token: owner, name: nil)
            #expect(client.kind == .owner)
            try await authority.checkOwner(token: owner, name: nil, operation: "apps")
            #expect(await authority.isOwner(token: owner))
            #expect(await authority.clientTokens().isEmpty)
            // The app's name gives the owner no storage, device number or origin.
            #expect(await refusal { _ = try await authority.storage(of: client) } == .notFound)
            #expect(
                await refusal { _ = try await authority.deviceNumber(for: client) } == .notFound)
            #expect(
                await refusal { _ = try await authority.identify(token: owner, name: name) }
                    == .nameMismatch)
        }
        for identity in ["1", "2"] {
            try await authority.admit(
                DeclaredApp(
                    name: name, identity: identity,
                    privileges: [Privilege(.sensor("cpu", .raw), reason: "")]))
            try await checkOwner()
            let (run, token) = try await authority.beginRun(of: name)
            let app = try await authority.identify(token: token.text, name: name)
            #expect(app.kind == .app)
            #expect(
                await refusal {
                    try await authority.checkOwner(
                        token: token.text, name: name, operation: "apps")
                } == .ownerOnly)
            #expect(await authority.permissions.state(of: .storage, for: app) != .granted)
            try await authority.decide(
                .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: name)
            #expect(try await authority.records(for: app).count == 1)
            #expect(try await authority.records(for: .owner).isEmpty)
            try await authority.endRun(run)
            try await checkOwner()
        }
        try await authority.forget(client: name)
        try await checkOwner()
        let again = try await fixture.open()
        _ = try await again.identify(token: again.ownerToken.text, name: nil)
    }

    @Test(arguments: ReservedNames.all)
    func `a log query without the owner omits commands, but no client of any name`(
        name: String
    ) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: name)
        let privilege = PrivilegeID.sensor("cpu", .raw)
        try await authority.decide(.allowAlways, on: privilege, by: name)
        let token = try await authority.beginRun(of: name).token
        for (text, claimed) in [(token.text, name), (authority.ownerToken.text, nil)] {
            let grant = try await authority.checkApp(
                token: text, name: claimed, requested: AccessRequest("latest", of: "cpu", .raw))
            try await authority.log.record("latest", .raw, for: grant, range: nil, count: 1)
        }
        _ = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: name, requested: AccessRequest("latest", of: "load", .raw))
        }
        let all = try await authority.log.entries(AccessLogQuery())
        #expect(all.map(\.kind) == [.refusal, .access, .access, .granted])
        #expect(all.map(\.clientKind) == [.app, .command, .app, nil])
        let shown = try await authority.log.entries(AccessLogQuery(withoutOwner: true))
        #expect(shown.map(\.id) == [4, 2, 1])
        #expect(try await AccessLogVerification(path: fixture.path).run().isIntact)
    }

    @Test func `a program with an owner's token is not left out of the log`() async throws {
        let authority = try await fixture.open()
        let token = try await authority.createClient("desk", isOwner: true, expires: nil)
        let grant = try await authority.checkApp(
            token: token.text, name: nil, requested: AccessRequest("latest", of: "cpu", .raw))
        try await authority.log.record("latest", .raw, for: grant, range: nil, count: 1)
        let shown = try await authority.log.entries(AccessLogQuery(withoutOwner: true))
        #expect(shown.map(\.clientKind) == [.owner, nil])
        #expect(shown.map(\.kind) == [.access, .tokenCreated])
    }
}
