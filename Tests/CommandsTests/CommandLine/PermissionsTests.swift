import Foundation
import TestSupport
import Testing

/// Grants with terms, from the command line.
@Suite(.blocking)
struct PermissionsTests {
    private struct Decision: Decodable {
        struct Terms: Decodable, Equatable {
            let access: String
            var rate: Double?
            var precision: Double?
            var history: String?
            var expires: Double?
            var background: Bool?
            var only: [String]?
            var excluded: [String]?
        }

        let client: String
        let privilege: String
        let state: String
        let terms: Terms?
    }

    private struct Items: Decodable {
        let items: [Decision]
    }

    private struct Export: Decodable {
        let format: String
        let version: Int
        let exported: Double
        let decisions: [Decision]
    }

    private func installed() throws -> Sandbox {
        let sandbox = try Sandbox()
        let sensors = ["cpu", "load", "temperature", "door"]
        let write = ["sensor": "door", "access": "write", "reason": "test"]
        let app = try sandbox.app(
            "",
            manifest: [
                "name": "demo", "version": "1",
                "privileges": sensors.map { ["sensor": $0, "reason": "test"] } + [write],
            ])
        #expect(try sandbox.nervous("install", app).code == 0)
        return sandbox
    }

    @Test(arguments: ["sensor:memory", "sensor:cpu:write", "storage", "net:https://example.org"])
    func `what an app does not declare cannot be granted to it`(privilege: String) throws {
        let sandbox = try installed()
        let grant = try sandbox.nervous("permissions", "grant", "demo", privilege)
        #expect(grant.code == 64)
        #expect(grant.errors.hasPrefix("error: The app does not declare \(privilege).\nhint: "))
        let run = try sandbox.nervous("run", "demo", "--allow", privilege)
        #expect(run.errors == grant.errors && run.code == 64)
        #expect(try states(sandbox).isEmpty)
        // A denial is possible, and so is a grant of less than what is declared.
        #expect(try sandbox.nervous("permissions", "deny", "demo", privilege).code == 0)
        let less = try sandbox.nervous("permissions", "grant", "demo", "sensor:cpu:stats")
        #expect(less.code == 0, "\(less.errors)")
    }

    @Test func `every term can be set, is listed as text and JSON, and is exported`() throws {
        let sandbox = try installed()
        let before = Date.now.timeIntervalSince1970 * 1000
        let grant = try sandbox.nervous(
            "permissions", "grant", "demo", "sensor:cpu", "--rate", "1", "--precision", "0.1",
            "--history", "10m", "--expires", "7d", "--no-background", "--stats-only")
        #expect(grant.code == 0, "\(grant.errors)")
        #expect(try sandbox.nervous("permissions", "deny", "demo", "sensor:memory").code == 0)
        let list = try sandbox.nervous("permissions", "demo").output
        let limits = "at most 1/s, rounded to multiples of 0.1, the last 10m, until "
        #expect(list.contains("statistics only, \(limits)"))
        #expect(list.contains(", only in the foreground"))
        let json = Data(try sandbox.nervous("permissions", "demo", "--json").output.utf8)
        let decision = try #require(
            try JSONDecoder().decode(Items.self, from: json).items.first)
        var terms = try #require(decision.terms)
        let end = try #require(terms.expires)
        #expect(end - before >= 604_800_000 && end - before < 604_900_000)
        terms.expires = nil
        #expect(
            terms
                == Decision.Terms(
                    access: "stats", rate: 1, precision: 0.1, history: "10m", background: false))

        let export = try JSONDecoder().decode(
            Export.self, from: Data(try sandbox.nervous("permissions", "export").output.utf8))
        #expect(export.format == "nervous-permissions" && export.version == 1)
        #expect(export.exported >= before.rounded(.down))
        #expect(export.decisions.map(\.privilege) == ["sensor:cpu", "sensor:memory"])
        #expect(export.decisions.map(\.state) == ["granted", "denied"])
    }

    private func states(_ sandbox: Sandbox) throws -> [String] {
        let json = Data(try sandbox.nervous("permissions", "demo", "--json").output.utf8)
        return try JSONDecoder().decode(Items.self, from: json).items
            .map { "\($0.privilege) \($0.state)" }.sorted()
    }

    @Test func `allow is understood as grant`() throws {
        let sandbox = try installed()
        let allow = try sandbox.nervous("permissions", "allow", "demo", "sensor:cpu")
        #expect(allow.output == "Granted sensor:cpu to demo.\n")
        #expect(try states(sandbox) == ["sensor:cpu granted"])
    }

    @Test func `revoke ends one grant or all, and lifts no denial`() throws {
        let sandbox = try installed()
        for (decision, sensor) in [("grant", "cpu"), ("grant", "load"), ("deny", "memory")] {
            let made = try sandbox.nervous("permissions", decision, "demo", "sensor:\(sensor)")
            #expect(made.code == 0, "\(made.errors)")
        }
        let one = try sandbox.nervous("permissions", "revoke", "demo", "sensor:load:raw")
        #expect(one.output == "Revoked sensor:load from demo.\n", "\(one.errors)")
        #expect(try states(sandbox) == ["sensor:cpu granted", "sensor:memory denied"])

        for privilege in ["sensor:memory", "sensor:load", "nonsense"] {
            let denied = try sandbox.nervous("permissions", "revoke", "demo", privilege)
            #expect(denied.code == 66)
            #expect(denied.errors.hasPrefix("error: \(privilege) is not granted to demo.\nhint: "))
        }
        #expect(try states(sandbox) == ["sensor:cpu granted", "sensor:memory denied"])

        let all = try sandbox.nervous("permissions", "revoke", "demo", "--json")
        #expect(all.output == #"{"revoked":["sensor:cpu"]}"# + "\n")
        #expect(try states(sandbox) == ["sensor:memory denied"])
        let again = try sandbox.nervous("permissions", "revoke", "demo")
        #expect(again.code == 0)
        #expect(again.errors == "Nothing is granted to demo.\n")
    }

    @Test func `a grant can be for some sensors of a kind, and is shown with them`() throws {
        let sandbox = try installed()
        for name in ["temperature.indoors", "temperature.outdoors"] {
            let made = try sandbox.nervous(
                "sensors", "add", name, "--field", "temperature:Cel")
            #expect(made.code == 0, "\(made.errors)")
        }
        let grant = try sandbox.nervous(
            "permissions", "grant", "demo", "sensor:temperature", "--only", "temperature.indoors")
        #expect(grant.code == 0, "\(grant.errors)")
        let list = try sandbox.nervous("permissions", "demo").output
        #expect(list.contains("only temperature.indoors, every sample"))
        let export = try JSONDecoder().decode(
            Export.self, from: Data(try sandbox.nervous("permissions", "export").output.utf8))
        #expect(export.decisions.map(\.terms?.only) == [["temperature.indoors"]])
        #expect(export.decisions.map(\.terms?.excluded) == [["temperature.outdoors"]])
        for (only, code) in [("humidity", 64), ("Temperature", 64), ("temperature.gone", 66)] {
            let wrong = try sandbox.nervous(
                "permissions", "grant", "demo", "sensor:temperature", "--only", only)
            #expect(wrong.code == Int32(code), "\(only): \(wrong.errors)")
        }
    }

    @Test func `a later grant keeps the terms that it does not set`() throws {
        let sandbox = try installed()
        func grant(_ flags: String...) throws -> Decision.Terms? {
            let made = try sandbox.nervous(
                ["permissions", "grant", "demo", "sensor:cpu"] + flags)
            #expect(made.code == 0, "\(made.errors)")
            let json = Data(try sandbox.nervous("permissions", "demo", "--json").output.utf8)
            var terms = try JSONDecoder().decode(Items.self, from: json).items.first?.terms
            if terms?.expires != nil { terms?.expires = 0 }
            return terms
        }
        var terms = Decision.Terms(access: "raw", rate: 1, history: "1h", background: true)
        #expect(try grant("--rate", "1", "--history", "1h") == terms)
        terms.precision = 5
        #expect(try grant("--precision", "5") == terms)
        (terms.rate, terms.background) = (2, false)
        #expect(try grant("--rate", "2", "--no-background") == terms)
        #expect(try grant() == terms)
        terms.expires = 0
        #expect(try grant("--expires", "7d") == terms)
        terms.background = true
        #expect(try grant("--background") == terms)
        #expect(
            try grant("--replace", "--stats-only")
                == Decision.Terms(access: "stats", background: true))
        #expect(
            try grant("--rate", "3") == Decision.Terms(access: "stats", rate: 3, background: true))
        // Without an option it is what a refusal advises.
        #expect(try grant() == Decision.Terms(access: "raw", rate: 3, background: true))
    }

    @Test func `granting a sensor below a denied kind reports the denial`() throws {
        let sandbox = try installed()
        #expect(try sandbox.nervous("sensors", "add", "door.front", "--field", "x:m").code == 0)
        #expect(try sandbox.nervous("permissions", "deny", "demo", "sensor:door").code == 0)
        let grant = try sandbox.nervous("permissions", "grant", "demo", "sensor:door.front")
        #expect(grant.code == 0)
        #expect(grant.errors.contains("nervous permissions reset demo sensor:door"))
    }

    @Test func `a grant to publish is listed as such`() throws {
        let sandbox = try installed()
        #expect(try sandbox.nervous("sensors", "add", "door", "--field", "x:m").code == 0)
        #expect(
            try sandbox.nervous("permissions", "grant", "demo", "sensor:door:write").code == 0)
        let list = try sandbox.nervous("permissions", "demo").output
        #expect(list.contains("publishing samples"))
        #expect(!list.contains("statistics"))
    }

    @Test func `a grant without terms sets no limit`() throws {
        let sandbox = try installed()
        #expect(try sandbox.nervous("permissions", "grant", "demo", "sensor:cpu").code == 0)
        let list = try sandbox.nervous("permissions", "demo").output
        #expect(list.contains(/granted  [-0-9]+ [:0-9]+  every sample\n/))
    }

    @Test(arguments: [
        ["--rate", "0"], ["--rate=-1"], ["--rate", "fast"], ["--precision", "nan"],
        ["--history", "0s"], ["--history", "10"], ["--expires", "yesterday"],
        ["--expires", "2001-01-01"], ["--for", "0s"], ["--background=maybe"],
    ])
    func `an invalid term is reported and grants nothing`(flags: [String]) throws {
        let sandbox = try installed()
        let grant = try sandbox.nervous(
            ["permissions", "grant", "demo", "sensor:cpu"] + flags)
        #expect(grant.code == 64)
        #expect(grant.errors.hasPrefix("error: "))
        #expect(try sandbox.nervous("permissions", "--json").output.contains(#""items":[]"#))
    }
}
