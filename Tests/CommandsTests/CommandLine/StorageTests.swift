import Foundation
import TestSupport
import Testing

/// `nervous storage` and `nervous forget` as text and as JSON.
@Suite(.blocking)
struct StorageTests {
    private struct Storage: Decodable {
        struct Rule: Decodable, Equatable {
            let raw: String?
            let bytes: Int?
            let summaries: String?
        }
        struct Sensor: Decodable {
            let sensor: String
            let samples: Int
            let rule: Rule
        }
        let sensors: [Sensor]
        let standard: Rule
        let budget: Int
    }

    private struct Receipt: Decodable {
        let samples: Int
        let erased: Bool
        let kept: [String]
    }

    private func storage(_ sandbox: Sandbox) throws -> Storage {
        let text = try sandbox.nervous("storage", "--json").output
        return try JSONDecoder().decode(Storage.self, from: Data(text.utf8))
    }

    private func samples(_ sandbox: Sandbox, of sensor: String = "load") throws -> Int? {
        try storage(sandbox).sensors.first { $0.sensor == sensor }?.samples
    }

    @Test func `rules and the budget are stored, and others are unchanged`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let set = try sandbox.nervous(
            "storage", "set", "load", "--raw", "30d", "--summaries", "5y", "--bytes", "500MB")
        #expect(set.output == "load: samples for 30d, at most 500 MB, summaries for 1825d.\n")
        #expect(try sandbox.nervous("storage", "set", "load", "--bytes", "none").code == 0)
        #expect(try sandbox.nervous("storage", "set", "--default", "--raw", "1y").code == 0)
        #expect(try sandbox.nervous("storage", "budget", "5GB").code == 0)
        let found = try storage(sandbox)
        #expect(found.budget == 5_000_000_000)
        #expect(found.standard == Storage.Rule(raw: "365d", bytes: nil, summaries: nil))
        let load = found.sensors.first { $0.sensor == "load" }
        #expect(load?.rule == Storage.Rule(raw: "30d", bytes: nil, summaries: "1825d"))
        let table = try sandbox.nervous("storage").output
        for word in ["SENSOR", "load", "samples for 30d", "budget 5 GB", "free on the disk"] {
            #expect(table.contains(word), "\(word)")
        }
        #expect(try sandbox.nervous("storage", "reset", "load").code == 0)
        #expect(try storage(sandbox).sensors.allSatisfy { $0.rule.raw == "365d" })
    }

    @Test(arguments: [
        ["storage", "budget", "much"], ["storage", "budget", "1kB"], ["storage", "set", "load"],
        ["storage", "set", "--raw", "1d"], ["storage", "set", "load", "--raw", "soon"],
        ["storage", "set", "load", "--default", "--raw", "1d"],
        ["storage", "set", "load", "--bytes", "-1"], ["forget"], ["forget", "Load"],
        ["forget", "load", "--app", "x"], ["forget", "--app", "x", "--derived"],
        ["forget", "--app", "x", "--from", "-1h"],
        ["forget", "load", "--from", "soon", "--yes"],
        ["forget", "load", "--last", "soon", "--yes"],
        ["forget", "load", "--last", "1h", "--from", "-2h", "--yes"],
        ["forget", "--app", "x", "--last", "1h"],
    ])
    func `invalid options are usage errors`(words: [String]) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let call = try sandbox.nervous(words)
        #expect(call.code == 64)
        #expect(call.errors.contains("rror: "))
    }

    @Test func `without a terminal nothing is removed without --yes`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let refused = try sandbox.nervous("forget", "load")
        #expect(refused.code == 77)
        #expect(refused.errors.contains("hint: Use --yes"))
        #expect(try samples(sandbox) == 1)
        let outside = try sandbox.nervous("forget", "load", "--to", "-1h", "--yes", "--json")
        let nothing = try JSONDecoder().decode(Receipt.self, from: Data(outside.output.utf8))
        #expect(nothing.samples == 0)
        let done = try sandbox.nervous("forget", "load", "--last", "1h", "--yes", "--json")
        #expect(done.code == 0)
        let receipt = try JSONDecoder().decode(Receipt.self, from: Data(done.output.utf8))
        #expect(receipt.samples == 1)
        #expect(receipt.erased)
        #expect(receipt.kept == ["access-log"])
        #expect(try samples(sandbox) == 0)
        #expect(try sandbox.nervous("log", "--kind", "forgotten").output.contains("1 samples"))
        #expect(try sandbox.nervous("forget", "nobody", "--yes").code == 66)
    }

    @Test(arguments: [("y\n", Int32(0), 0), ("n\n", 77, 1), ("\n", 77, 1), ("\u{4}", 77, 1)])
    func `the consequences are printed before the confirmation`(
        answer: String, code: Int32, left: Int
    ) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let terminal = try sandbox.terminal("forget", "load")
        try terminal.await("[y/N] ")
        #expect(terminal.text.contains("load has 1 samples"))
        terminal.type(answer)
        #expect(try terminal.finish() == code)
        #expect(terminal.text.contains("Forgotten: load") == (code == 0))
        #expect(try samples(sandbox) == left)
    }

    @Test func `samples computed from others are named, and with --derived also forgotten`() throws
    {
        let sandbox = try Sandbox()
        let added = try sandbox.nervous(
            "sensors", "add", "barometer.roof", "--field", "pressure:hPa")
        #expect(added.code == 0, "\(added.errors)")
        // Derived sensors are looked for when a host starts.
        let host = try ServingHost(sandbox)
        let now = Int((Date().timeIntervalSince1970 * 1000).rounded())
        try Data("t,pressure\n\(now - 2000),1000\n\(now - 1000),990\n".utf8)
            .write(to: URL(filePath: sandbox.path("in.csv")))
        let sent = try sandbox.nervous(
            "import", sandbox.path("in.csv"), "--sensor", "barometer.roof")
        #expect(sent.code == 0, "\(sent.errors)")
        var output = ""
        try waitUntil(otherwise: { output }) {
            output = try sandbox.nervous("forget", "barometer.roof", "--to", "2000-01-01", "--yes")
                .output
            return output.contains("Kept: the samples of altitude.roof")
        }
        let done = try sandbox.nervous("forget", "barometer.roof", "--derived", "--yes").output
        #expect(done.contains("summaries of altitude.roof, which is computed from barometer.roof"))
        #expect(!done.contains("Kept: the samples"), "\(done)")
        let again = try sandbox.nervous("forget", "barometer.roof", "--yes").output
        #expect(!again.contains("Kept: the samples"), "\(again)")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `decisions about an app are forgotten, and the app stays installed`() throws {
        let sandbox = try Sandbox()
        let app = Binary.repository + "/jsapps/hello-sensors"
        #expect(try sandbox.nervous("install", app).code == 0)
        #expect(
            try sandbox.nervous("permissions", "grant", "hello-sensors", "sensor:cpu").code == 0)
        #expect(try sandbox.nervous("forget", "--app", "hello-sensors").code == 77)
        let done = try sandbox.nervous("forget", "--app", "hello-sensors", "--yes")
        #expect(done.code == 0)
        #expect(done.output.contains("decisions  1"))
        #expect(done.output.contains("Kept: the app itself"))
        #expect(try sandbox.nervous("permissions", "--json").output.contains(#""items":[]"#))
        #expect(try sandbox.nervous("apps").output.contains("hello-sensors"))
        #expect(try sandbox.nervous("forget", "--app", "none", "--yes").code == 66)
    }
}
