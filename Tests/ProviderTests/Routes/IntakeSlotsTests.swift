import NIOCore
import TestSupport
import Testing

@testable import Provider

/// How many large bodies are read at once, and whose.
@Suite(.timeLimit(.minutes(10)))
struct IntakeSlotsTests {
    @Test func `the owner gets a slot even if clients use all others`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let slots = IntakeSlots()
        var held: [String] = []
        for _ in 0..<2000 {
            let client = ["owner", "a", "b", "c", "d"].randomElement(using: &random) ?? "a"
            if Bool.random(using: &random), let place = held.firstIndex(of: client) {
                held.remove(at: place)
                await slots.release(client)
                continue
            }
            let isFirst = !held.contains("owner")
            do {
                try await slots.acquire(client, isOwner: client == "owner")
                held.append(client)
            } catch {
                #expect(client != "owner" || !isFirst, "seed \(seed): \(held)")
            }
            #expect(held.count <= 4, "seed \(seed): \(held)")
            #expect(held.count { $0 == client } <= 2, "seed \(seed): \(held)")
        }
    }

    @Test func `no client gets all slots, and one is reserved for the owner`() async throws {
        let slots = IntakeSlots()
        for _ in 0..<2 { try await slots.acquire("a", isOwner: false) }
        await #expect(throws: Problem.self) { try await slots.acquire("a", isOwner: false) }
        try await slots.acquire("b", isOwner: false)
        await #expect(throws: Problem.self) { try await slots.acquire("b", isOwner: false) }
        try await slots.acquire("owner", isOwner: true)
        await #expect(throws: Problem.self) { try await slots.acquire("owner", isOwner: true) }
        await slots.release("a")
        try await slots.acquire("c", isOwner: false)
    }

    /// Rows of `steps` with 1000 bytes each, in CSV without a header: few, because parsing rows takes long in a
    /// debug build.
    private static func rows(_ count: Int) -> String {
        String(repeating: "1,2," + String(repeating: "u", count: 995) + "\n", count: count)
    }

    /// Opens a connection for each token, sends a part of a large body, and keeps it open during `body`.
    private static func hold(
        _ tokens: ArraySlice<String>, _ host: ServedHost, _ body: () async throws -> Void
    ) async throws {
        guard let token = tokens.first else { return try await body() }
        let call = Call(
            "POST", "/api/v1/sensors/steps/samples", token: token,
            headers: [("Content-Type", "text/csv"), ("Content-Length", "3000000")])
        let part = "t,count,mood\n" + rows(1400)
        let bytes = call.bytes(standardHost: "localhost:\(host.port)") + Array(part.utf8)
        try await TCPConnection.with(port: host.port) { _, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            try await hold(tokens.dropFirst(), host, body)
        }
    }

    @Test func `clients that send large bodies slowly do not keep the owner from publishing`()
        async throws
    {
        // No limit for a body that does not progress: a busy machine may need long to read the others.
        try await ServedHost.with(limits: .unlimited) { host in
            try await host.declareSteps()
            var tokens: [String] = []
            for name in ["a", "b", "c"] {
                tokens.append(try await host.client(name, allow: ["sensor:steps:write"]))
            }
            let other = tokens[2]
            let body = "t,count,mood\n" + Self.rows(1300)
            try await Self.hold([tokens[0], tokens[0], tokens[1]], host) {
                // A call before that could take one of these slots.
                try await until { await host.provider.intakeSlots.usedCount == 3 }
                #expect(try await host.publish(body, as: "text/csv", token: other).status == 503)
                #expect(try await host.publish(body, as: "text/csv").status == 201)
            }
        }
    }
}
