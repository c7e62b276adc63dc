import Health
import Samples
import Testing

@testable import Auth

/// Access to types of the health store.
struct HealthAccessTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static func types(_ names: [String]) throws -> Set<HealthType> {
        Set(try names.map { try #require(HealthType($0)) })
    }

    private static func app(_ privileges: [String]) throws -> DeclaredApp {
        let declared = try privileges.map { name in
            let id = try #require(PrivilegeID(name))
            return Privilege(try #require(Privilege.Resource(id)), reason: "r")
        }
        return DeclaredApp(name: "app", identity: "1", privileges: declared)
    }

    /// An authority with an app, and the token of a run of it.
    private func begin(
        _ privileges: [String], restricted: [String] = [], isForeground: Bool = true
    ) async throws -> (authority: Authority, token: String) {
        let authority = try await fixture.open(restricted: restricted)
        try await authority.admit(try Self.app(privileges))
        let (_, token) = try await authority.beginRun(of: "app", isForeground: isForeground)
        return (authority, token.text)
    }

    private func decide(
        _ decision: Decision, _ privilege: String, _ authority: Authority
    ) async throws {
        let id = try #require(PrivilegeID(privilege))
        try await authority.decide(decision, on: id, by: "app")
    }

    @Test func `a granted type is read whole, and a denied one looks as if others had none`()
        async throws
    {
        let (authority, token) = try await begin(["health:steps", "health:heart-rate"])
        try await decide(.allowAlways, "health:steps", authority)
        try await decide(.deny, "health:heart-rate", authority)
        let both = try Self.types(["steps", "heart-rate"])
        let grant = try await authority.checkApp(
            token: token, name: nil, reading: both, operation: "health-samples")
        #expect(both.filter(grant.view.reads).map(\.description) == ["steps"])
        #expect(grant.source?.name == "app")
        #expect(grant.source?.number.isEmpty == false)
        #expect(!grant.isOwner)
        // The owner sees the refusal.
        let refusals = try await authority.log.entries(
            AccessLogQuery(client: "app", before: nil, limit: 100)
        ).filter { $0.kind == .refusal }
        #expect(refusals.map(\.privilege) == ["health:heart-rate"])
    }

    @Test func `a type that the app does not declare is an error, whatever was decided about it`()
        async throws
    {
        let (authority, token) = try await begin(["health:steps:write"])
        try await decide(.allowAlways, "health:steps:write", authority)
        for name in ["steps", "heart-rate"] {
            let types = try Self.types([name])
            let error = await #expect(throws: AuthError.self) {
                _ = try await authority.checkApp(
                    token: token, name: nil, reading: types, operation: "health-samples")
            }
            #expect(error?.code == .undeclared)
            #expect(error?.privilege?.description == "health:\(name)")
            try await decide(.deny, "health:\(name)", authority)
            #expect(
                await refusal {
                    _ = try await authority.checkApp(
                        token: token, name: nil, reading: types, operation: "health-samples")
                } == .undeclared)
        }
    }

    @Test func `a type without a decision is an error until the owner decides`() async throws {
        let (authority, token) = try await begin(["health:steps"])
        let steps = try Self.types(["steps"])
        #expect(
            await refusal {
                _ = try await authority.checkApp(
                    token: token, name: nil, reading: steps, operation: "health-samples")
            } == .undecided)
        try await decide(.allowAlways, "health:steps", authority)
        let grant = try await authority.checkApp(
            token: token, name: nil, reading: steps, operation: "health-samples")
        #expect(steps.allSatisfy(grant.view.reads))
    }

    @Test(
        arguments: [
            (nil, AuthError.Code.undecided), (.deny, .denied), (.allowAlways, nil),
        ] as [(Decision?, AuthError.Code?)])
    func `saving needs a permission of its own, and its denial is an error`(
        decision: Decision?, expected: AuthError.Code?
    ) async throws {
        let (authority, token) = try await begin(["health:steps", "health:steps:write"])
        try await decide(.allowAlways, "health:steps", authority)
        if let decision { try await decide(decision, "health:steps:write", authority) }
        let steps = try Self.types(["steps"])
        var grant: HealthGrant?
        let code = await refusal {
            grant = try await authority.checkApp(
                token: token, name: nil, writing: steps, operation: "health-save")
        }
        #expect(code == expected)
        #expect(grant?.mayWrite(try #require(steps.first)) == (expected == nil ? true : nil))
        #expect(grant.map { $0.mayWrite(.workout) } != true)
    }

    @Test func `a permission to save is none to read`() async throws {
        let (authority, token) = try await begin(["health:steps", "health:steps:write"])
        try await decide(.allowAlways, "health:steps:write", authority)
        let steps = try Self.types(["steps"])
        #expect(
            await refusal {
                _ = try await authority.checkApp(
                    token: token, name: nil, reading: steps, operation: "health-samples")
            } == .undecided)
        let grant = try await authority.checkApp(
            token: token, name: nil, writing: steps, operation: "health-save")
        #expect(!grant.view.reads(try #require(steps.first)))
    }

    @Test func `types that a call only includes are left out without an error`() async throws {
        let (authority, token) = try await begin(["health:workout", "health:steps"])
        try await decide(.allowAlways, "health:workout", authority)
        let others = try Self.types(["steps", "heart-rate"])
        var grant = try await authority.checkApp(
            token: token, name: nil, reading: [.workout], also: others, operation: "w")
        #expect(!others.contains(where: grant.view.reads))
        try await decide(.allowAlways, "health:steps", authority)
        grant = try await authority.checkApp(
            token: token, name: nil, reading: [.workout], also: others, operation: "w")
        #expect(others.filter(grant.view.reads).map(\.description) == ["steps"])
    }

    @Test func `the state that an app sees hides a denial of reading only`() async throws {
        let names = ["health:steps", "health:heart-rate", "health:steps:write", "storage"]
        let (authority, _) = try await begin(names + ["health:sleep"], restricted: ["health:sleep"])
        let client = Client(name: "app", kind: .app, run: nil)
        func shown(_ name: String) async throws -> PermissionState {
            await authority.permissions.shownState(
                of: try #require(PrivilegeID(name)), for: client)
        }
        for name in names { #expect(try await shown(name) == .prompt) }
        for name in names { try await decide(.deny, name, authority) }
        #expect(try await shown("health:steps") == .granted)
        #expect(try await shown("health:heart-rate") == .granted)
        #expect(try await shown("health:sleep") == .granted)
        #expect(try await shown("health:steps:write") == .denied)
        #expect(try await shown("storage") == .denied)
        // The owner sees the denial.
        let steps = try #require(PrivilegeID("health:steps"))
        #expect(await authority.permissions.state(of: steps, for: client) == .denied)
    }

    @Test func `what the policy blocks looks like a denial`() async throws {
        let (authority, token) = try await begin(
            ["health:steps", "health:steps:write"],
            restricted: ["health:steps", "health:steps:write"])
        let steps = try Self.types(["steps"])
        let grant = try await authority.checkApp(
            token: token, name: nil, reading: steps, operation: "health-samples")
        #expect(!steps.contains(where: grant.view.reads))
        #expect(
            await refusal {
                _ = try await authority.checkApp(
                    token: token, name: nil, writing: steps, operation: "health-save")
            } == .restricted)
    }

    @Test func `a grant for the foreground does not hold in the background`() async throws {
        let (authority, token) = try await begin(["health:steps"], isForeground: false)
        try await decide(.allow(Terms(access: .raw, background: false)), "health:steps", authority)
        let steps = try Self.types(["steps"])
        #expect(
            await refusal {
                _ = try await authority.checkApp(
                    token: token, name: nil, reading: steps, operation: "health-samples")
            } == .notInBackground)
    }

    @Test func `a version that declares one more type is asked about this one only (B28)`()
        async throws
    {
        let (authority, _) = try await begin(["health:steps", "health:workout:write"])
        try await decide(.allowAlways, "health:steps", authority)
        try await decide(.deny, "health:workout:write", authority)
        let next = try Self.app(["health:steps", "health:workout:write", "health:heart-rate"])
        let status = await authority.status(of: next)
        #expect(status.undecided.map(\.description) == ["health:heart-rate"])
        try await authority.admit(next)
        let after = await authority.permissions.undecided(next.privileges, by: "app")
        #expect(after.map(\.id.description) == ["health:heart-rate"])
    }

    @Test func `the owner sees and saves everything`() async throws {
        let authority = try await fixture.open()
        let all = Set(HealthType.all)
        let grant = try await authority.checkApp(
            token: authority.ownerToken.text, name: nil, reading: all, writing: all,
            operation: "health-samples")
        #expect(grant.isOwner)
        #expect(grant.source == nil)
        #expect(all.allSatisfy { grant.view.reads($0) && grant.mayWrite($0) })
    }

    @Test func `the words of every type fit a prompt, and say what it reveals`() {
        for type in HealthType.all {
            for access in HealthAccess.allCases {
                let id = PrivilegeID.health(type, access)
                guard id.isGrantable else { continue }
                let words = PrivilegeWords(id)
                #expect(id.briefRevelation.utf8.count <= 28, "\(id)")
                #expect(id.disclosure == words.reveals)
                #expect(words.request.utf8.count <= 64, "\(words.request)")
                #expect(!words.meaning.isEmpty)
            }
        }
    }
}
