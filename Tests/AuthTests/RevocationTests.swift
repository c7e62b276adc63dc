import Foundation
import GRDB
import Samples
import Synchronization
import Testing

@testable import Auth

/// Every revocation takes effect on a full disk, and remains after a restart.
struct RevocationTests {
    /// A full disk, on which no transaction can be committed.
    private final class Disk: Sendable {
        private struct Full: Sendable {
            var isFull = false
            /// The path of the reserve; deleting it frees enough space.
            var reserve: String?
        }

        private let state = Mutex(Full())

        func fill(withReserve reserve: String? = nil) {
            state.withLock { $0 = Full(isFull: true, reserve: reserve) }
        }

        func free() { state.withLock { $0.isFull = false } }

        func willCommit() throws {
            let state = state.withLock { $0 }
            guard state.isFull else { return }
            let hasRoom = state.reserve.map { !FileManager.default.fileExists(atPath: $0) }
            if hasRoom != true { throw DatabaseError(resultCode: .SQLITE_FULL) }
        }
    }

    /// A kind of revocation.
    enum Revocation: String, CaseIterable {
        case deny, denyForRun, narrow, reset, resetAll, revokeToken, forgetApp, endRun

        /// Whether it is about an app and its run, not a token.
        var isOfApp: Bool {
            switch self {
            case .denyForRun, .forgetApp, .endRun: true
            case .deny, .narrow, .reset, .resetAll, .revokeToken: false
            }
        }
    }

    private let fixture: AuthorityFixture
    private let disk = Disk()
    fileprivate static let privilege = PrivilegeID.sensor("cpu", .raw)
    private var reserve: String { fixture.path + "-reserve" }

    init() throws {
        fixture = try AuthorityFixture()
    }

    /// A host with a client that may read `cpu`.
    private struct OpenHost {
        let database: AuthDatabase
        let authority: Authority
        let client: String
        let token: Token
        let run: String?

        func read() async throws {
            let grant = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("latest", of: "cpu", .raw))
            try await authority.log.record("latest", .raw, for: grant, range: nil, count: 1)
        }

        func apply(_ revocation: Revocation) async throws {
            switch revocation {
            case .deny: try await authority.decide(.deny, on: RevocationTests.privilege, by: client)
            case .denyForRun:
                try await authority.decide(
                    .denyOnce, on: RevocationTests.privilege, by: client, run: run)
            case .narrow:
                let terms = Terms(access: .raw, maximumRate: 0.1)
                try await authority.decide(.allow(terms), on: RevocationTests.privilege, by: client)
            case .reset: try await authority.reset(RevocationTests.privilege, of: client)
            case .resetAll: try await authority.reset(nil, of: client)
            case .revokeToken: try await authority.revokeClient(client)
            case .forgetApp: try await authority.forget(client: client)
            case .endRun: try await authority.endRun(run ?? "")
            }
        }
    }

    private func start(_ revocation: Revocation) async throws -> OpenHost {
        let database = try AuthDatabase(path: fixture.path, willCommit: disk.willCommit)
        let authority = try await Authority(
            database, path: fixture.path, time: fixture.clock, timeLimit: .zero)
        guard revocation.isOfApp else {
            let token = try await authority.createClient("reader", isOwner: false, expires: nil)
            try await authority.decide(.allowAlways, on: Self.privilege, by: "reader")
            return OpenHost(
                database: database, authority: authority, client: "reader", token: token, run: nil)
        }
        try await authority.admit(app: "reader")
        let (run, token) = try await authority.beginRun(of: "reader")
        try await authority.decide(.allowAlways, on: Self.privilege, by: "reader", run: run)
        return OpenHost(
            database: database, authority: authority, client: "reader", token: token, run: run)
    }

    /// Whether the permission of the client was removed or narrowed.
    private func isRevoked(from host: OpenHost, _ authority: Authority) async -> Bool {
        guard let client = try? await authority.identify(token: host.token.text, name: nil) else {
            return true
        }
        let permissions = await authority.permissions
        let isNarrower = permissions.records(of: client.name).contains {
            $0.terms?.maximumRate != nil
        }
        return permissions.state(of: Self.privilege, for: client) != .granted || isNarrower
    }

    /// Whether a new host reads the same from the file.
    private func isRevokedAfterRestart(_ host: OpenHost, _ revocation: Revocation) async throws
        -> Bool
    {
        let authority = try await fixture.open(timeLimit: .zero)
        let records = await authority.permissions.records(of: host.client)
        guard await isRevoked(from: host, authority) else { return false }
        switch revocation {
        case .forgetApp, .revokeToken, .reset, .resetAll: return records.isEmpty
        case .deny: return records.map(\.state) == [.denied]
        case .narrow: return records.map(\.terms?.maximumRate) == [0.1]
        // They end with the host in any case.
        case .denyForRun, .endRun: return records.map(\.run) == [nil]
        }
    }

    @Test(arguments: Revocation.allCases)
    func `a revocation without free disk space takes effect immediately and is stored later`(
        revocation: Revocation
    ) async throws {
        let host = try await start(revocation)
        try await host.read()
        disk.fill()
        let code = await refusal { try await host.apply(revocation) }
        #expect(code == .diskFull)
        #expect(await isRevoked(from: host, host.authority))
        #expect(!host.database.writer.isSafe)
        // Nothing later is stored before it.
        let later = await refusal {
            _ = try await host.authority.createClient("later", isOwner: false, expires: nil)
        }
        #expect(later == .diskFull)
        disk.free()
        await host.database.writer.retry()
        #expect(host.database.writer.isSafe)
        #expect(await isRevoked(from: host, host.authority))
        #expect(try await isRevokedAfterRestart(host, revocation))
        await host.authority.log.flush()
        #expect(try await AccessLogVerification(path: fixture.path).run().isIntact)
    }

    @Test(arguments: Revocation.allCases)
    func `a revocation on a full disk is stored in the space of the reserve`(revocation: Revocation)
        async throws
    {
        let host = try await start(revocation)
        #expect(FileManager.default.fileExists(atPath: reserve))
        disk.fill(withReserve: reserve)
        try await host.apply(revocation)
        #expect(!FileManager.default.fileExists(atPath: reserve))
        #expect(await isRevoked(from: host, host.authority))
        #expect(try await isRevokedAfterRestart(host, revocation))
    }

    @Test func `a reset on a full disk revokes every permission, not only the first`()
        async throws
    {
        let host = try await start(.reset)
        let privileges = ["load", "memory", "disk"].map {
            PrivilegeID.sensor($0, .raw)
        }
        for privilege in privileges {
            try await host.authority.decide(.allowAlways, on: privilege, by: "reader")
        }
        disk.fill()
        #expect(await refusal { try await host.authority.reset(nil, of: "reader") } == .diskFull)
        #expect(await host.authority.permissions.records(of: "reader").isEmpty)
        disk.free()
        await host.database.writer.retry()
        let again = try await fixture.open()
        #expect(await again.permissions.records(of: "reader").isEmpty)
    }

    @Test func `the reserve is allocated again when there is enough free space`() async throws {
        let host = try await start(.deny)
        disk.fill(withReserve: reserve)
        try await host.apply(.deny)
        #expect(!host.database.writer.isSafe)
        disk.free()
        await host.database.writer.retry()
        #expect(host.database.writer.isSafe)
        #expect(FileManager.default.fileExists(atPath: reserve))
    }

    @Test func `a grant takes effect only after it is stored`() async throws {
        let host = try await start(.deny)
        disk.fill()
        let code = await refusal {
            try await host.authority.decide(
                .allowAlways, on: PrivilegeID.sensor("load", .raw), by: "reader")
        }
        #expect(code == .diskFull)
        let client = try await host.authority.identify(token: host.token.text, name: nil)
        let state = await host.authority.permissions.state(
            of: PrivilegeID.sensor("load", .raw), for: client)
        #expect(state != .granted)
        // A denial that is removed allows more, so it stays until that is stored.
        disk.free()
        try await host.authority.decide(.deny, on: Self.privilege, by: "reader")
        disk.fill()
        #expect(
            await refusal { try await host.authority.reset(Self.privilege, of: "reader") }
                == .diskFull)
        #expect(await host.authority.permissions.records(of: "reader").map(\.state) == [.denied])
    }

    @Test func `nothing is read while the log cannot be written, except by the owner`()
        async throws
    {
        let host = try await start(.deny)
        disk.fill()
        for _ in 1...3 {
            #expect(await refusal { try await host.read() } == .logUnavailable)
        }
        let owner = host.authority.ownerToken.text
        let grant = try await host.authority.checkApp(
            token: owner, name: nil, requested: AccessRequest("latest", of: "cpu", .raw))
        try await host.authority.log.record("latest", .raw, for: grant, range: nil, count: 1)
        disk.free()
        await host.authority.log.flush()
        try await host.read()
        let lines = try await host.authority.log.entries(AccessLogQuery(kind: .access))
        #expect(Set(lines.map(\.clientKind)) == [.command, .client])
    }

    @Test func `terms are within others only when they allow no more`() {
        let all = Terms(access: .raw)
        let narrow: [Terms] = [
            Terms(access: .stats), Terms(access: .raw, maximumRate: 1),
            Terms(access: .raw, precision: 1), Terms(access: .raw, history: .seconds(1)),
            Terms(access: .raw, expires: Timestamp(microseconds: 1)),
            Terms(access: .raw, background: false),
            Terms(access: .raw, only: InstanceChoice(["cpu.a"])),
        ]
        for terms in narrow {
            #expect(terms.isWithin(all))
            #expect(!all.isWithin(terms))
            for other in narrow { #expect(terms.isWithin(other) == (terms == other)) }
        }
        #expect(!Terms(access: .write).isWithin(all))
        #expect(
            Terms(access: .stats, maximumRate: 1, history: .seconds(1)).isWithin(
                Terms(access: .raw, maximumRate: 2, history: .seconds(2))))
    }
}
