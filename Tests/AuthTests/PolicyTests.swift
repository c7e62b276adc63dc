import Addresses
import Samples
import Testing

@testable import Auth

/// The privileges that a policy blocks.
struct PolicyTests {
    @Test(arguments: [
        ("sensor:camera", "sensor:camera", true), ("sensor:camera", "sensor:camera:stats", true),
        ("sensor:camera", "sensor:camera:write", true),
        ("sensor:camera", "sensor:camera.front", true), ("sensor:camera", "sensor:cpu", false),
        ("sensor:camera.front", "sensor:camera", false),
        ("sensor:camera.front", "sensor:camera.back", false),
        ("sensor:location:raw", "sensor:location", true),
        ("sensor:location:raw", "sensor:location:stats", false),
        ("sensor:location:raw", "sensor:location:write", false),
        ("sensor:location:stats", "sensor:location", true),
        ("sensor:location:write", "sensor:location", false),
        ("net", "net:https://example.org", true), ("net", "net", true), ("net", "storage", false),
        ("net:https://example.org", "net:https://example.org", true),
        ("net:https://example.org", "net:https://example.com", false),
        ("net:https://example.org", "net", false), ("storage", "storage", true),
        ("storage", "notify", false), ("identity", "sensor:cpu", false),
        ("sessions", "sessions", true), ("sessions:write", "sessions", false),
        ("sessions", "sessions:write", false),
    ])
    func `a restriction covers every privilege that includes it`(
        line: String, privilege: String, isCovered: Bool
    ) throws {
        let restriction = try #require(Restriction(line, file: "policy.json"))
        let other = try #require(PrivilegeID(privilege))
        #expect(restriction.covers(other) == isCovered)
    }

    @Test(arguments: PrivilegeID.others.map(\.description) + ["net:https://example.org"])
    func `privileges other than sensors are restricted and restored, too`(name: String)
        async throws
    {
        let fixture = try AuthorityFixture()
        let privilege = try #require(PrivilegeID(name))
        var authority = try await fixture.open()
        try await authority.admit(app: "app")
        try await authority.decide(.allowAlways, on: privilege, by: "app")
        for (restricted, code) in [
            ([name.hasPrefix("net") ? "net" : name], AuthError.Code.restricted), ([], nil),
        ] {
            authority = try await fixture.open(restricted: restricted)
            let (_, token) = try await authority.beginRun(of: "app")
            let seen = await refusal {
                if let origin = privilege.origin {
                    _ = try await authority.checkApp(
                        token: token.text, name: nil, reaching: origin)
                } else {
                    _ = try await authority.checkApp(
                        token: token.text, name: nil, requested: privilege, operation: "test")
                }
            }
            #expect(seen == code)
            #expect(
                await refusal {
                    try await authority.decide(.allowAlways, on: privilege, by: "app")
                } == code)
        }
    }

    @Test func `statistics are granted when only samples are restricted`() async throws {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open(restricted: ["sensor:cpu:raw"])
        try await authority.admit(app: "app")
        let cpu = PrivilegeID.sensor("cpu", .raw)
        try await authority.decide(.statisticsOnly, on: cpu, by: "app")
        let (_, token) = try await authority.beginRun(of: "app")
        for (access, code) in [(Access.raw, AuthError.Code.restricted), (.stats, nil)] {
            let seen = await refusal {
                _ = try await authority.checkApp(
                    token: token.text, name: nil,
                    requested: AccessRequest("test", of: "cpu", access))
            }
            #expect(seen == code)
        }
        let client = try await authority.identify(token: token.text, name: nil)
        #expect(await authority.permissions.permission(of: client, for: "cpu") == .statistics)
    }

    @Test func `a grant of samples permits only statistics while samples are restricted`()
        async throws
    {
        let fixture = try AuthorityFixture()
        for (restricted, access) in [([], Access.raw), (["sensor:cpu:raw"], .stats), ([], .raw)] {
            let authority = try await fixture.open(restricted: restricted)
            try await authority.admit(app: "app")
            if access == .raw {
                try await authority.decide(
                    .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "app")
            }
            let (_, token) = try await authority.beginRun(of: "app")
            let grant = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", .stats))
            #expect(grant.terms.access == access)
        }
    }

    @Test func `a restricted privilege of an app is shown as denied, with the policy file`()
        async throws
    {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open(restricted: ["sensor:cpu"])
        let declared = ["cpu", "memory"].map { Privilege(.sensor($0, .raw), reason: "r") }
        let app = DeclaredApp(name: "app", identity: "app", privileges: declared)
        let standing = await authority.status(of: app)
        #expect(standing.undecided == [declared[1].id])
        #expect(standing.denied == [declared[0].id])
        #expect(
            standing.restricted.mapValues(\.file) == [declared[0].id: "/etc/nervous/policy.json"])
        try await authority.admit(app)
        #expect(await authority.permissions.undecided(declared, by: "app") == [declared[1]])
        #expect(await authority.permissions.isDenied(declared[0], to: "app"))
    }

    @Test func `the refusal is logged and does not reveal the policy file to the app`()
        async throws
    {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open(restricted: ["sensor:cpu"])
        try await authority.admit(app: "app")
        let (_, token) = try await authority.beginRun(of: "app")
        let error = await #expect(throws: AuthError.self) {
            try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", .raw))
        }
        #expect(error?.message.contains("policy.json") == false)
        #expect(error?.hint?.contains("/") == false)
        let line = try await authority.log.entries(AccessLogQuery()).first
        #expect(line?.outcome == .refused)
        #expect(line?.sensor == "cpu")
        let owner = try await authority.checkApp(
            token: authority.ownerToken.text, name: nil,
            requested: AccessRequest("test", of: "cpu", .raw))
        #expect(owner.terms.access == .raw)
        let decided = await #expect(throws: AuthError.self) {
            try await authority.decide(
                .allowAlways, on: PrivilegeID.sensor("cpu", .raw), by: "app")
        }
        #expect(decided?.message.contains("/etc/nervous/policy.json") == true)
    }
}
