import Samples
import TestSupport
import Testing

@testable import Auth

/// Concurrent decisions.
struct DecisionOrderTests {
    @Test func `a change waits until the previous one is in the file, in memory and in the log`()
        async throws
    {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open()
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (entered, entering) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = authority.hold(gate) { entering.finish() }
        for await _ in entered {}
        async let second: Void = authority.decide(
            .deny, on: PrivilegeID.sensor("cpu", .raw), by: "curl")
        try await until { await authority.waitingChanges == 1 }
        #expect(await authority.permissions.records(of: "curl").isEmpty)
        opening.finish()
        try await first
        try await second
        let reopened = try await fixture.open()
        #expect(await reopened.permissions.records(of: "curl").map(\.state) == [.denied])
        #expect(await authority.permissions.records(of: "curl").map(\.state) == [.denied])
    }

    @Test func `a denial is kept while another version is admitted`() async throws {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open()
        func version(_ access: Access) -> DeclaredApp {
            DeclaredApp(
                name: "app", identity: "one",
                privileges: [Privilege(.sensor("cpu", access), reason: "")])
        }
        let raw = PrivilegeID.sensor("cpu", .raw)
        try await authority.admit(version(.raw))
        try await authority.decide(.allowAlways, on: raw, by: "app")
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (entered, entering) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = authority.hold(gate) { entering.finish() }
        for await _ in entered {}
        async let denial: Void = authority.decide(.deny, on: raw, by: "app")
        try await until { await authority.waitingChanges == 1 }
        async let admission: Void = authority.admit(version(.stats))
        try await until { await authority.waitingChanges == 2 }
        opening.finish()
        _ = try await (first, denial, admission)
        let reopened = try await fixture.open()
        for host in [authority, reopened] {
            #expect(await host.permissions.records(of: "app").map(\.state) == [.denied])
            #expect(await host.status(of: version(.stats)).denied.count == 1)
        }
    }

    @Test func `memory, file and log agree on the last of many decisions`() async throws {
        let fixture = try AuthorityFixture()
        let authority = try await fixture.open()
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        let privileges = ["cpu", "load"].map { PrivilegeID.sensor($0, .raw) }
        for round in 0..<10 {
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    for privilege in privileges {
                        // Tasks of higher priority overtake others while they wait.
                        group.addTask(priority: number.isMultiple(of: 3) ? .high : .background) {
                            if number.isMultiple(of: 4) {
                                return try await authority.reset(privilege, of: "curl")
                            }
                            let rate = Double(round * 10 + number)
                            let decision: Decision =
                                number.isMultiple(of: 2)
                                ? .deny : .allow(Terms(access: .raw, maximumRate: rate))
                            try await authority.decide(decision, on: privilege, by: "curl")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let memory = await authority.permissions.records(of: "curl")
            let reopened = try await fixture.open()
            let file = await reopened.permissions.records(of: "curl")
            #expect(Set(memory) == Set(file), "round \(round)")
            let lines = try await authority.log.entries(AccessLogQuery(client: "curl"))
            for privilege in privileges {
                let last = lines.first { $0.privilege == privilege.description }
                let record = memory.first { $0.privilege == privilege }
                let kind: AccessLogEntry.Kind =
                    record.map { $0.state == .granted ? .granted : .denied } ?? .reset
                #expect(last?.kind == kind, "round \(round)")
                guard let rate = record?.terms?.maximumRate else { continue }
                #expect(last?.detail == "raw, rate \(rate)")
            }
        }
    }
}

extension Authority {
    /// A change that lasts until it is resumed.
    fileprivate func hold(
        _ gate: AsyncStream<Void>, onEntry: @Sendable () -> Void
    ) async throws(AuthError) {
        try await serialized { () async throws(AuthError) in
            onEntry()
            for await _ in gate {}
        }
    }
}
