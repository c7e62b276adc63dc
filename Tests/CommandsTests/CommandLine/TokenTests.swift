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

    @Test func `a permission set gives a new token its privileges and denials`() throws {
        let sandbox = try Sandbox()
        try sandbox.configure(
            #"""
            {"permissionSets": {
                "watch": {"allow": ["sensor:cpu", "sensor:memory:stats"], "deny": ["sensor:load"]},
                "wrong": {"allow": ["sensor:nothing"]},
                "missing": {"allow": ["sensor:cpu"], "deny": ["sensor:nothing"]}
            }}
            """#)
        let made = try sandbox.nervous(
            "token", "create", "curl", "-P", "watch", "--allow", "storage")
        #expect(made.code == 0 && made.output.hasPrefix("nvs_"), "\(made.errors)")
        #expect(!made.errors.contains("no permissions"))
        struct List: Decodable {
            struct Item: Decodable {
                let privilege: String
                let state: String
            }
            let items: [Item]
        }
        let shown = try sandbox.nervous("permissions", "curl", "--json").output
        let list = try JSONDecoder().decode(List.self, from: Data(shown.utf8))
        #expect(
            Set(list.items.map { "\($0.privilege) \($0.state)" }) == [
                "sensor:cpu granted", "sensor:memory:stats granted", "sensor:load denied",
                "storage granted",
            ])
        for set in ["wrong", "missing"] {
            let failed = try sandbox.nervous("token", "create", "other", "-P", set)
            #expect(failed.code != 0 && failed.output.isEmpty, "\(failed.output)")
        }
        #expect(try sandbox.nervous("token", "create", "x", "-P", "none").code == 64)
        #expect(try sandbox.nervous("token", "create", "x", "-P", "watch", "--owner").code == 64)
        let tokens = try sandbox.nervous("token", "list").output
        #expect(tokens.contains("curl") && !tokens.contains("other"), "\(tokens)")
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

    @Test func `a token that is narrowed without the host allows less, and ends with its parent`()
        throws
    {
        let sandbox = try Sandbox()
        let other = try Sandbox()
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:cpu")
            .output.trimmingCharacters(in: .newlines)
        try sandbox.awaitSample(of: "cpu")
        let file = other.path("token")
        try token.write(toFile: file, atomically: true, encoding: .utf8)
        // In a data directory without a host, and without the decisions of the first.
        func narrowed(_ options: String...) throws -> String {
            let made = try other.nervous(["token", "attenuate", "--file", file] + options)
            #expect(made.code == 0, "\(made.errors)")
            return made.output.trimmingCharacters(in: .newlines)
        }
        func status(_ text: String, _ path: String) throws -> Int {
            try sandbox.curl("-H", "Authorization: Bearer \(text)", host.url(path)).status
        }
        let (latest, statistics) = ("/api/v1/sensors/cpu/latest", "/api/v1/sensors/cpu/stats")
        let child = try narrowed("--stats-only", "--label", "sub-agent", "--for", "10m")
        #expect(child.hasPrefix("nvc_"))
        #expect(try status(child, latest) == 403)
        #expect(try status(child, statistics) == 200)
        #expect(try status(try narrowed("--sensor", "memory"), latest) == 403)
        #expect(try status(try narrowed("--sensor", "cpu", "--rate", "1"), latest) == 200)
        let log = try sandbox.nervous("log", "curl").output
        #expect(log.contains("narrowed by sub-agent"))
        #expect(!log.contains(child))

        let sealed = try narrowed("--seal")
        try sealed.write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try other.nervous("token", "attenuate", "--file", file)
        #expect(refused.code == 65 && refused.errors.contains("sealed"))
        #expect(try other.nervous("token", "attenuate", "--file", file, "--label", "A").code == 64)
        #expect(try sandbox.nervous("token", "revoke", "curl").code == 0)
        #expect(try status(child, statistics) == 401)
        #expect(try status(sealed, latest) == 401)
    }
}
