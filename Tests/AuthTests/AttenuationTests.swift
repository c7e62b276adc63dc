import Foundation
import Samples
import TestSupport
import Testing

@testable import Auth

/// What a narrowed token may do, and that it ends with its parent.
struct AttenuationTests {
    private let fixture: AuthorityFixture
    private let authority: Authority

    init() async throws {
        fixture = try AuthorityFixture()
        authority = try await fixture.open()
    }

    private func parent(_ allowed: [(String, Decision)], expires: Timestamp? = nil) async throws
        -> String
    {
        let token = try await authority.createClient("curl", isOwner: false, expires: expires)
        for (text, decision) in allowed {
            try await authority.decide(
                decision, on: try #require(PrivilegeID(text)), by: "curl")
        }
        return token.text
    }

    private func narrowed(_ text: String, _ caveat: Caveat?) throws -> String {
        try AttenuatedToken(narrowing: text, by: try #require(caveat)).text
    }

    private func terms(
        _ token: String, _ sensor: SensorID, _ access: Access = .raw, name: String? = nil
    ) async throws(AuthError) -> Terms {
        try await authority.checkApp(
            token: token, name: name, requested: AccessRequest("test", of: sensor, access)
        ).terms
    }

    private func code(
        _ token: String, _ sensor: SensorID, _ access: Access = .raw
    ) async -> AuthError.Code? {
        do throws(AuthError) {
            _ = try await terms(token, sensor, access)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `each block narrows the terms that the blocks before it left`() async throws {
        let now = fixture.clock.now()
        let end = now.advanced(byMicroseconds: 60_000_000)
        let token = try await parent([
            ("sensor:cpu", .allow(Terms(access: .raw, maximumRate: 2, precision: 0.5)))
        ])
        let once = try narrowed(
            token, Caveat(maximumRate: 0.8, precision: 2, history: .seconds(60), expires: end))
        #expect(
            try await terms(token, "cpu") == Terms(access: .raw, maximumRate: 2, precision: 0.5))
        let left = try await terms(once, "cpu", name: "curl")
        // Slots of 1.25 s would begin inside those of the parent, which have 0.5 s.
        #expect(left.slotWidth == 1_500_000)
        #expect(left.roundings == [0.5, 2])
        #expect(left.history == .seconds(60) && left.expires == end)
        let twice = try narrowed(
            once, Caveat(access: .stats, maximumRate: 5, precision: 2, history: .seconds(90)))
        let rest = try await terms(twice, "cpu", .stats)
        #expect(rest.access == .stats && rest.slotWidth == 1_500_000)
        #expect(rest.roundings == [0.5, 2] && rest.history == .seconds(60))
        #expect(await code(twice, "cpu") == .denied)
        #expect(await code(twice, "cpu", .write) == .undecided)
    }

    @Test func `statistics are not narrowed to statistics of other samples`() async throws {
        let token = try await parent([
            ("sensor:cpu", .allow(Terms(access: .stats, maximumRate: 1, precision: 1)))
        ])
        for caveat in [Caveat(maximumRate: 0.5), Caveat(precision: 2)] {
            #expect(await code(try narrowed(token, caveat), "cpu", .stats) == .denied)
        }
        let same = Caveat(maximumRate: 1, precision: 1, history: .seconds(9))
        let left = try await terms(try narrowed(token, same), "cpu", .stats)
        #expect(left == Terms(access: .stats, maximumRate: 1, precision: 1, history: .seconds(9)))
    }

    @Test func `a token includes the sensors that every block includes`() async throws {
        let token = try await parent([
            ("sensor:temperature", .allowAlways), ("sensor:cpu", .allowAlways),
            ("sensor:gauge:write", .allowAlways),
        ])
        let once = try narrowed(token, Caveat(sensors: ["temperature", "cpu", "memory", "gauge"]))
        let twice = try narrowed(once, Caveat(sensors: ["temperature.attic", "memory", "gauge"]))
        #expect(await code(once, "cpu") == nil)
        #expect(await code(twice, "cpu") == .denied)
        #expect(await code(twice, "temperature.attic") == nil)
        #expect(await code(twice, "temperature.cellar") == .denied)
        #expect(await code(twice, "temperature.attics") == .denied)
        #expect(await code(twice, "temperature") == .denied)
        // A caveat gives nothing.
        #expect(await code(once, "memory") == .undecided)
        #expect(await code(twice, "gauge", .write) == nil)
        #expect(await code(try narrowed(twice, Caveat(access: .raw)), "gauge", .write) == .denied)
        #expect(await code(try narrowed(twice, Caveat(access: .write)), "gauge", .write) == nil)

        let client = try await authority.identify(token: twice, name: nil)
        let permissions = await authority.permissions
        #expect(permissions.permission(of: client, for: "temperature.attic") == .granted)
        #expect(permissions.permission(of: client, for: "cpu") == nil)
        #expect(permissions.isExcluded("cpu", for: client))
        #expect(
            permissions.state(of: PrivilegeID.sensor("cpu", .raw), for: client) == .denied)
        let records = try await authority.records(for: client)
        #expect(
            records.map(\.privilege.description) == [
                "sensor:gauge:write", "sensor:temperature.attic",
            ])
    }

    @Test func `only sensors can be used with it`() async throws {
        let all =
            PrivilegeID.others.map(\.description) + [
                "net:https://example.org", "health:body-mass", "health:body-mass:write",
            ]
        let token = try await parent(all.map { ($0, .allowAlways) })
        let child = try narrowed(token, Caveat())
        for text in all {
            let privilege = try #require(PrivilegeID(text))
            #expect(await authority.granted(anyOf: [privilege], token: token) == privilege)
            #expect(await authority.granted(anyOf: [privilege], token: child) == nil)
            let error = await #expect(throws: AuthError.self) {
                _ = try await authority.checkApp(
                    token: child, name: nil, requested: privilege, operation: "test")
            }
            #expect(error?.code == .denied)
        }
        let health = await #expect(throws: AuthError.self) {
            _ =
                try await authority.checkApp(token: child, name: nil, operation: "health-types")
                as HealthGrant
        }
        #expect(health?.code == .denied)
        await #expect(throws: AuthError.self) {
            try await authority.checkOwner(token: child, name: nil, operation: "test")
        }
    }

    @Test func `it ends with its parent, and when a block ends`() async throws {
        let now = fixture.clock.now()
        let token = try await parent(
            [("sensor:cpu", .allowAlways)], expires: now.advanced(byMicroseconds: 100_000_000))
        let long = try narrowed(token, Caveat())
        let short = try narrowed(
            long, Caveat(expires: now.advanced(byMicroseconds: 10_000_000)))
        #expect(await code(short, "cpu") == nil)
        fixture.clock.advance(by: .seconds(10))
        #expect(await code(short, "cpu") == .invalidToken)
        #expect(await code(long, "cpu") == nil)
        fixture.clock.advance(by: .seconds(90))
        #expect(await code(long, "cpu") == .invalidToken)
    }

    @Test func `revoking the parent ends it, also if the name is used again`() async throws {
        let token = try await parent([("sensor:cpu", .allowAlways)])
        let child = try narrowed(token, Caveat())
        #expect(await code(child, "cpu") == nil)
        let client = try await authority.identify(token: child, name: nil)
        try await authority.revokeClient("curl")
        #expect(await code(child, "cpu") == .invalidToken)
        await #expect(throws: AuthError.self) { try await authority.records(for: client) }
        let other = try await parent([("sensor:cpu", .allowAlways)])
        #expect(await code(child, "cpu") == .invalidToken)
        #expect(await code(try narrowed(other, Caveat()), "cpu") == nil)
    }

    @Test func `changed decisions affect it, and it survives a restart of the host`() async throws {
        let token = try await parent([("sensor:cpu", .allowAlways)])
        let child = try narrowed(token, Caveat(precision: 4))
        #expect(try await terms(child, "cpu").roundings == [4])
        let next = try await fixture.open()
        func left() async throws -> Terms {
            try await next.checkApp(
                token: child, name: nil, requested: AccessRequest("test", of: "cpu", .raw)
            ).terms
        }
        #expect(try await left().roundings == [4])
        try await next.decide(
            .allow(Terms(access: .raw, precision: 3)), on: PrivilegeID.sensor("cpu", .raw),
            by: "curl")
        #expect(try await left().roundings == [3, 4])
        try await next.decide(.deny, on: PrivilegeID.sensor("cpu", .raw), by: "curl")
        await #expect(throws: AuthError.self) { try await left() }
    }

    @Test func `tokens of owners, runs and pages, and unsigned ones, cannot be narrowed`()
        async throws
    {
        let owner = try await authority.createClient("admin", isOwner: true, expires: nil)
        try await authority.admit(app: "app")
        let (_, run) = try await authority.beginRun(of: "app")
        for text in [owner.text, run.text, authority.ownerToken.text, Token().text] {
            #expect(await code(try narrowed(text, Caveat()), "cpu") == .invalidToken)
        }
    }

    @Test func `the access log names the chain, and no more of them than a minute may have`()
        async throws
    {
        let token = try await parent([("sensor:cpu", .allowAlways)])
        let child = try narrowed(
            try narrowed(token, Caveat(label: "research")), Caveat(sensors: ["cpu"]))
        func record(_ text: String) async throws {
            let grant = try await authority.checkApp(
                token: text, name: nil, requested: AccessRequest("latest", of: "cpu", .raw))
            try await authority.log.record("latest", .raw, for: grant, range: nil, count: 1)
        }
        try await record(child)
        #expect(await code(child, "memory") == .denied)
        let entries = try await authority.log.entries(AccessLogQuery(client: "curl", limit: 2))
        #expect(entries.map(\.kind) == [.refusal, .access])
        #expect(entries.allSatisfy { $0.clientKind == .client })
        let chain = "narrowed by research, an unnamed block"
        #expect(entries[1].detail == chain)
        #expect(entries[0].detail?.contains("(\(chain))") == true)
        for index in 0..<50 { try await record(try narrowed(token, Caveat(label: "x\(index)"))) }
        let all = try await authority.log.entries(
            AccessLogQuery(client: "curl", kind: .access, limit: 100))
        #expect(all.map(\.calls).reduce(0, +) == 51)
        #expect(all.count == AccessLog.narrowingsPerClient + 1)
    }
}

/// The memory of verified tokens.
struct AttenuatedTokenCacheTests {
    @Test func `a valid token is verified once, and an invalid one each time`() throws {
        var cache = AttenuatedTokenCache()
        var verifications = 0
        // The signatures of a token are verified when its root is looked up.
        func token(_ text: String) -> AttenuatedToken? {
            cache.token(text) { _ in
                verifications += 1
                return true
            }
        }
        let root = Token().text
        let caveat = try #require(Caveat(label: "a", access: .stats))
        let valid = try AttenuatedToken(narrowing: root, by: caveat).text
        for _ in 0..<3 { #expect(token(valid)?.text == valid) }
        #expect(verifications == 1)
        let narrower = try AttenuatedToken(narrowing: valid, by: caveat).text
        #expect(token(narrower)?.caveats.count == 2)
        #expect(verifications == 2)
        // Bytes of the first signature are changed, and the checksum is that of the text.
        var body = try #require([UInt8](base64URL: valid.dropFirst(4))).dropLast(3)
        let signature = body.count - 1 - 32 - 64
        body[signature] ^= 1
        let forged = AttenuatedToken.text(of: Array(body))
        try #require(AttenuatedToken(forged) != nil)
        for _ in 0..<2 { #expect(token(forged) == nil) }
        #expect(verifications == 4)
    }
}

/// The vectors of C2SP's project Wycheproof, if `WYCHEPROOF` names the folder `testvectors_v1`.
struct WycheproofTests {
    private static let folder = ProcessInfo.processInfo.environment["WYCHEPROOF"]

    private struct Vectors: Decodable {
        struct Group: Decodable {
            struct Key: Decodable { let pk: String }
            struct Vector: Decodable {
                let tcId: Int
                let msg: String
                let sig: String
                let result: String
            }

            let publicKey: Key
            let tests: [Vector]
        }

        let numberOfTests: Int
        let testGroups: [Group]
    }

    @Test(.enabled(if: folder != nil, "set WYCHEPROOF to the folder testvectors_v1 of a checkout"))
    func `signatures are accepted and rejected as Wycheproof requires`() throws {
        let file = URL(filePath: try #require(Self.folder)).appending(path: "ed25519_test.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: try Data(contentsOf: file))
        var count = 0
        for group in vectors.testGroups {
            for vector in group.tests {
                let isValid = Ed25519.verifies(
                    try data(vector.sig), of: try data(vector.msg), try data(group.publicKey.pk))
                #expect(isValid == (vector.result == "valid"), "vector \(vector.tcId)")
                count += 1
            }
        }
        #expect(count == vectors.numberOfTests && count > 100)
    }

    private func data(_ text: String) throws -> Data {
        Data(
            try stride(from: 0, to: text.utf8.count, by: 2).map { offset in
                try #require(UInt8(text.dropFirst(offset).prefix(2), radix: 16))
            })
    }
}
