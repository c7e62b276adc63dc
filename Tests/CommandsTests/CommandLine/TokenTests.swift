import Foundation
import TestSupport
import Testing

/// The API as used by the owner's programs, with curl.
@Suite(.blocking)
struct TokenTests {
    private struct Log: Decodable {
        struct Item: Decodable {
            let client: String?
            let calls: Int
            let outcome: String
            let reason: String?
        }

        let items: [Item]
    }

    private func refusals(_ sandbox: Sandbox) throws -> [Log.Item] {
        let log = try sandbox.nervous("log", "--refused", "--json")
        return try JSONDecoder().decode(Log.self, from: Data(log.output.utf8)).items
    }

    @Test
    func `valid, missing, invalid, another app's and revoked tokens are distinguished and logged`()
        throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:cpu")
            .output.trimmingCharacters(in: .newlines)
        // The newest sample exists after the first reading.
        try sandbox.awaitSample(of: "cpu")
        let latest = host.url("/api/v1/sensors/cpu/latest")

        let right = try sandbox.curl("-H", "Authorization: Bearer \(token)", latest)
        #expect(right.status == 200)
        #expect(right.body.contains(#""busy":"#))
        #expect(try refusals(sandbox).isEmpty)

        #expect(try sandbox.curl(latest).status == 401)
        let wrong = try sandbox.curl("-H", "Authorization: Bearer nvs_wrong", latest)
        #expect(wrong.status == 401)
        let foreign = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)",
            host.url("/api/v1/sensors/cpu/latest", host: "hello-sensors.localhost"))
        #expect(foreign.status == 403)
        #expect(foreign.body.contains(#""code":"name-mismatch""#))
        let other = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", host.url("/api/v1/sensors/memory/latest"))
        #expect(other.status == 403)
        #expect(other.body.contains("Ask the owner to allow sensor:memory."))

        #expect(try sandbox.nervous("token", "revoke", "curl").code == 0)
        let revoked = try sandbox.curl("-H", "Authorization: Bearer \(token)", latest)
        #expect(revoked.status == 401)

        let log = try refusals(sandbox)
        #expect(log.map(\.calls).reduce(0, +) == 5)
        #expect(log.filter { $0.client == nil }.map(\.calls).reduce(0, +) == 3)
        #expect(!log.contains { $0.reason?.contains(token) == true })
    }

    @Test func `the log omits the owner's own reads unless requested`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load", "--json").code == 0)
        let others = try sandbox.nervous("log", "--json").output
        #expect(!others.contains(#""client":"owner""#))
        for words in [["log", "--owner", "--json"], ["log", "owner", "--json"]] {
            let log = try sandbox.nervous(words).output
            #expect(log.contains(#""client":"owner""#))
        }
    }

    @Test func `curl gets statistics and samples in the requested forms`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:memory")
            .output.trimmingCharacters(in: .newlines)
        try sandbox.awaitSample(of: "memory")
        let bearer = "Authorization: Bearer \(token)"
        let samples = host.url("/api/v1/sensors/memory/samples?limit=1")
        let csv = try sandbox.curl("-H", bearer, "-H", "Accept: text/csv", samples)
        #expect(csv.body.hasPrefix("t,total,available,free"))
        let stats = try sandbox.curl(
            "-H", bearer, host.url("/api/v1/sensors/memory/stats?fn=mean,p99&fields=usedPercent"))
        #expect(stats.status == 200)
        #expect(stats.body.contains(#""p99":"#))
        #expect(try sandbox.curl(host.url("/health")).body == #"{"status":"ok"}"#)
        let rebound = try sandbox.curl("-H", "Host: attacker.example", "-H", bearer, samples)
        #expect(rebound.status == 421)
    }
}
