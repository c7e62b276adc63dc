import Samples
import TestSupport
import Testing

@testable import Auth

/// What is left when a policy broker allows something.
struct BrokerTermsTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

    /// For random policies and answers, the grant is within what was asked for, the policy and the answer.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a grant is never more than question, policy and answer allow`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        func one<T>(_ values: [T]) -> T {
            values[Int.random(in: values.indices, using: &random)]
        }
        var count = 0
        for _ in 0..<5000 {
            let asked = PrivilegeID.sensor("network.eth0", one([Access.raw, .stats, .write]))
            let listed = PrivilegeID.sensor(
                one(["network", "network.eth0", "network.eth1", "cpu"]),
                one([Access.raw, .stats, .write]))
            guard
                let allowance = BrokerPolicy.Allowance(
                    listed, maximumRate: one([nil, 0.1, 1, 3]), precision: one([nil, 0.5, 2]),
                    history: one([nil, .seconds(60), .seconds(3600)]),
                    lifetime: one([nil, .seconds(60)]), background: one([true, false]))
            else { continue }
            let caveat = try #require(
                Caveat(
                    access: one([nil, .raw, .stats, .write]), maximumRate: one([nil, 0.5, 2]),
                    precision: one([nil, 0.5, 3]),
                    history: one([nil, .seconds(30), .seconds(600)]),
                    expires: one([nil, Self.now.advanced(byMicroseconds: 30_000_000)])))
            let background = one([true, false])
            guard let limit = BrokerPolicy([allowance]).limit(of: asked, at: Self.now),
                let left = BrokerTerms(caveat, background: background).narrowed(limit)
            else { continue }
            count += 1
            let access = try #require(asked.access)
            #expect(left.isWithin(Terms(access: access)))
            #expect(left.isWithin(limit))
            #expect(try #require(listed.sensor).covers("network.eth0"))
            #expect(try #require(listed.access).includes(left.access))
            #expect(caveat.access.map { $0.includes(left.access) } ?? true)
            #expect(background || !left.background)
            if let end = caveat.expires { #expect(try #require(left.expires) <= end) }
            guard left.access != .write else { continue }
            if let rate = caveat.maximumRate { #expect(try #require(left.maximumRate) <= rate) }
            if let history = caveat.history { #expect(try #require(left.history) <= history) }
            if let step = caveat.precision { #expect(left.precision == step) }
        }
        #expect(count > 100)
    }

    @Test func `a narrowed token and a program without a run get nothing from a broker`()
        async throws
    {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open(timeLimit: .zero)
        await authority.use(AllowingBroker(), within: BrokerPolicy(try Self.allowances))
        let token = try await authority.createClient("curl", isOwner: false, expires: nil).text
        #expect(await refusal { _ = try await Self.read(token, authority) } == .undecided)
        let run = try await authority.beginRun(ofProgram: "curl")
        let narrow = try AttenuatedToken(
            narrowing: token, by: try #require(Caveat(access: .stats))
        ).text
        let asked = PrivilegeID.sensor("cpu", .raw)
        #expect(await refusal { _ = try await Self.read(narrow, authority) } == .undecided)
        _ = await refusal {
            _ = try await authority.openRequest(
                asked, token: narrow, name: nil, isAvailable: true)
        }
        #expect(await authority.permissions.records().isEmpty)
        let state = try await authority.request(
            asked, token: run.token.text, name: nil, isAvailable: true)
        #expect(state == .granted)
        #expect(try await Self.read(run.token.text, authority).terms == Terms(access: .raw))
        try await authority.endRun(run.run)
        #expect(await authority.permissions.records().isEmpty)
    }

    @Test func `calls of an app that asks at first use are decided without a request`()
        async throws
    {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open()
        await authority.use(AllowingBroker(), within: BrokerPolicy(try Self.allowances))
        try await authority.admitAskingApp()
        let run = try await authority.beginRun(of: "app")
        let token = run.token.text
        async let first = Self.read(token, authority)
        async let second = Self.read(token, authority)
        #expect(try await first.terms == second.terms)
        #expect(await authority.pendingRequests().isEmpty)
        // Concurrent calls have one question and one decision.
        #expect(
            try await authority.log.entries(AccessLogQuery(kind: .granted)).map(\.detail)
                == ["raw, for run \(run.run), by: broker"])
    }

    private static var allowances: [BrokerPolicy.Allowance] {
        get throws { [try #require(BrokerPolicy.Allowance(.sensor("cpu", .raw)))] }
    }

    private static func read(_ token: String, _ authority: Authority) async throws -> Grant {
        try await authority.checkApp(
            token: token, name: nil, requested: AccessRequest("latest", of: "cpu", .raw))
    }
}

/// Allows everything.
private struct AllowingBroker: PolicyBroker {
    func answer(to question: BrokerQuestion) async throws(BrokerFault) -> BrokerAnswer {
        .allow(BrokerTerms())
    }
}
