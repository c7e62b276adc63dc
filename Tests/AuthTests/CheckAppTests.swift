import Samples
import Testing

@testable import Auth

struct CheckAppTests {
    private let registry: Registry

    init() throws {
        registry = try Registry()
    }

    /// An authority with an app and a run of it.
    private func run(
        _ prompter: any Prompter
    ) async throws -> (authority: Authority, run: String, token: Token) {
        let authority = try await registry.open(prompter)
        try await authority.admit(app: "app")
        let (run, token) = try await authority.beginRun(of: "app")
        return (authority, run, token)
    }

    private static func request(
        _ sensor: SensorID = "cpu", _ access: Access = .raw
    ) -> AccessRequest {
        AccessRequest("samples", of: sensor, access)
    }

    @Test func `A9: an unknown request is put to the person once, and the answer is kept`()
        async throws
    {
        let prompter = ScriptedPrompter([.allowAlways])
        let (authority, _, token) = try await run(prompter)
        for _ in 1...3 {
            let grant = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request())
            #expect(grant.client == "app")
            #expect(grant.terms == Terms(access: .raw))
        }
        #expect(prompter.questions.map(\.privilege.id.description) == ["sensor:cpu"])
        #expect(await authority.records(of: "app").map(\.state) == [.granted])
    }

    @Test func `a known grant and a known denial ask nobody`() async throws {
        let prompter = ScriptedPrompter([.allowAlways, .allowAlways])
        let (authority, _, token) = try await run(prompter)
        try await authority.decide(
            .allowAlways, on: PrivilegeID(sensor: "cpu", access: .raw), by: "app")
        try await authority.decide(
            .deny, on: PrivilegeID(sensor: "memory", access: .raw), by: "app")
        _ = try await authority.checkApp(
            token: token.text, name: "app", requested: Self.request())
        let code = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request("memory"))
        }
        #expect(code == .denied)
        #expect(prompter.questions.isEmpty)
    }

    @Test func `a changed request is a new question`() async throws {
        let prompter = ScriptedPrompter([.allowAlways, .deny, .allowAlways])
        let (authority, _, token) = try await run(prompter)
        func ask(_ request: AccessRequest) async -> AuthError.Code? {
            await refusal {
                _ = try await authority.checkApp(
                    token: token.text, name: "app", requested: request)
            }
        }
        #expect(await ask(Self.request("cpu", .stats)) == nil)
        #expect(await ask(Self.request("cpu", .write)) == .denied)
        #expect(await ask(Self.request("cpu", .raw)) == nil)
        #expect(
            prompter.questions.map(\.privilege.id.description) == [
                "sensor:cpu:stats", "sensor:cpu:write", "sensor:cpu",
            ])
    }

    @Test func `nobody's answer is no, is not kept, and is logged`() async throws {
        let (authority, _, token) = try await run(ScriptedPrompter([nil]))
        let code = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request())
        }
        #expect(code == .undecided)
        #expect(await authority.records(of: "app").isEmpty)
        let line = try await authority.log.entries(AccessLogQuery()).first
        #expect(line?.client == "app")
        #expect(line?.sensor == "cpu")
        #expect(line?.outcome == .refused)
    }

    @Test(arguments: [
        (Decision.allowOnce, nil), (.denyOnce, AuthError.Code.denied), (.deny, .denied),
        (.statisticsOnly, .statisticsOnly),
        (.allow(Terms(access: .raw, maximumRate: 2)), nil),
    ])
    func `each answer takes effect at once`(
        answer: Decision, expected: AuthError.Code?
    ) async throws {
        let (authority, _, token) = try await run(ScriptedPrompter([answer]))
        let code = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request())
        }
        #expect(code == expected)
    }

    @Test func `calls that ask the same at the same time share one question`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let prompter = ScriptedPrompter(
            [.allowAlways, .deny], gate: gate, onQuestion: { asking.yield() })
        let (authority, _, token) = try await run(prompter)
        try await withThrowingTaskGroup { group in
            for _ in 1...5 {
                group.addTask {
                    _ = try await authority.checkApp(
                        token: token.text, name: "app", requested: Self.request())
                }
            }
            for await _ in asked { break }
            // Every call has its turn on the actor before this one.
            for _ in 1...20 { _ = await authority.records() }
            opening.finish()
            try await group.waitForAll()
        }
        #expect(prompter.questions.count == 1)
    }

    @Test func `what the owner decides while a question stands is not overruled`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let prompter = ScriptedPrompter(
            [.allowAlways], gate: gate, onQuestion: { asking.finish() })
        let (authority, _, token) = try await run(prompter)
        async let code = refusal {
            _ = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request())
        }
        for await _ in asked {}
        try await authority.decide(.deny, on: Self.request().privilege, by: "app")
        opening.finish()
        #expect(await code == .denied)
        #expect(await authority.records(of: "app").map(\.state) == [.denied])
    }

    @Test func `a token that ends while a question stands opens nothing`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let prompter = ScriptedPrompter(
            [.allowAlways], gate: gate, onQuestion: { asking.finish() })
        let (authority, _, token) = try await run(prompter)
        async let code = refusal {
            _ = try await authority.checkApp(
                token: token.text, name: "app", requested: Self.request())
        }
        for await _ in asked {}
        try await authority.forget(client: "app")
        opening.finish()
        #expect(await code == .invalidToken)
        #expect(await authority.records().isEmpty)
    }
}
