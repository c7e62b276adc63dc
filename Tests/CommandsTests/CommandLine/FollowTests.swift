import Foundation
import Glibc
import TestSupport
import Testing

/// What is shown until Ctrl-C: `sensors --watch`, `query --follow` and `log --follow`.
@Suite(.blocking)
struct FollowTests {
    /// A sandbox with a host, and a sensor that gets samples when the test publishes them.
    private final class Scene {
        let sandbox: Sandbox
        let host: ServingHost

        init() throws {
            sandbox = try Sandbox()
            host = try ServingHost(sandbox)
            let made = try sandbox.nervous(
                "sensors", "add", "temperature.attic", "--field", "celsius:Cel", "--field",
                "battery:%")
            #expect(made.code == 0, "\(made.errors)")
        }

        /// Publishes a sample of now.
        func publish(_ celsius: Double) throws {
            let file = sandbox.path("\(UUID().uuidString).csv")
            let now = Int(Date().timeIntervalSince1970 * 1000)
            try "t,celsius,battery\n\(now),\(celsius),50\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let taken = try sandbox.nervous("import", file, "--sensor", "temperature.attic")
            #expect(taken.code == 0, "\(taken.errors)")
        }

        /// A command at a terminal that can move its cursor.
        func terminal(
            _ words: [String], columns: UInt16 = 80, rows: UInt16 = 24
        ) throws -> PseudoTerminal {
            try PseudoTerminal(
                Binary.nervous, words,
                environment: sandbox.environment.merging(["TERM": "xterm"]) { $1 }, rows: rows,
                columns: columns)
        }

        /// A command whose output is a pipe.
        func piped(_ words: String...) throws -> Program {
            try Program(
                Binary.nervous, words, environment: sandbox.environment, output: .pipe)
        }
    }

    private static func screen(
        _ terminal: PseudoTerminal, columns: Int = 80, rows: Int = 24
    ) -> Screen {
        var screen = Screen(columns: columns, rows: rows, width: .narrow)
        screen.show(terminal.bytes)
        return screen
    }

    @Test func `the sensors are drawn in place until Ctrl-C, which is no failure`() throws {
        let scene = try Scene()
        try scene.publish(20)
        let terminal = try scene.terminal(["sensors", "--watch"])
        try terminal.await("celsius 20 °C")
        try scene.publish(21.5)
        try terminal.await("celsius 21.5 °C")
        try terminal.await("\u{1B}[?2026l")
        let shown = Self.screen(terminal)
        #expect(shown.isAlternate && shown.scrolled.isEmpty)
        let lines = shown.lines
        #expect(lines[0].hasPrefix("Sensors at ") && lines[0].hasSuffix("; Ctrl-C ends"))
        #expect(lines[2].hasPrefix("SENSOR"))
        #expect(lines[2].contains("LAST MINUTE   VALUES"))
        let attic = try #require(lines.first { $0.hasPrefix("temperature.attic") })
        #expect(attic.contains("  celsius 21.5 °C, batter"))
        #expect(attic.contains { ("▁"..."█").contains($0) })
        // Each drawing replaces the one before, without erasing the screen first.
        #expect(!terminal.text.contains("\u{1B}[2J"))
        terminal.type("x\u{3}")
        #expect(try terminal.finish() == 0)
        let left = Self.screen(terminal)
        #expect(!left.isAlternate && left.lines.allSatisfy(\.isEmpty), "\(left.lines)")
        #expect(terminal.text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
    }

    @Test(arguments: [(80, 24), (40, 15), (40, 5), (120, 10)])
    func `the sensors fit every terminal`(columns: Int, rows: Int) throws {
        let scene = try Scene()
        try scene.publish(20)
        let terminal = try scene.terminal(
            ["sensors", "--watch"], columns: UInt16(columns), rows: UInt16(rows))
        for _ in 1...2 { try terminal.await("\u{1B}[?2026l") }
        let shown = Self.screen(terminal, columns: columns, rows: rows)
        #expect(shown.scrolled.isEmpty)
        #expect(shown.lines[0].hasPrefix("Sensors at "), "\(shown.lines)")
        #expect(shown.lines[2].hasPrefix("SENSOR"))
        #expect(shown.lines[2].contains("LAST MINUTE") == (columns >= 60))
        #expect(shown.lines[3].hasPrefix("cpu"))
        if rows < 10 { #expect(shown.lines[rows - 1].contains("more: use a taller terminal")) }
        terminal.signal(SIGTERM)
        #expect(try terminal.finish() == 0)
    }

    @Test func `in a pipe the sensors are printed when one changes, as documents with --json`()
        throws
    {
        struct List: Decodable {
            struct Sensor: Decodable {
                let id: String
                let newest: Double?
            }
            let items: [Sensor]
        }
        let scene = try Scene()
        #expect(try scene.sandbox.nervous("sensors", "set", "cpu", "off").code == 0)
        let program = try scene.piped("sensors", "--watch", "--json")
        let output = try program.read { $0.count { $0 == 0x0A } >= 3 }
        let lists = try output.split(separator: 0x0A).prefix(3).map {
            try JSONDecoder().decode(List.self, from: $0)
        }
        let times = lists.map { $0.items.map { $0.newest ?? 0 } }
        #expect(times[0] != times[1] && times[1] != times[2])
        program.signal(SIGINT)
        #expect(try program.wait() == 0)

        let text = try scene.piped("sensors", "--watch")
        let shown = String(
            decoding: try text.read { $0.contains(Data("\n\nSENSOR".utf8)) }, as: UTF8.self)
        #expect(shown.hasPrefix("SENSOR"))
        #expect(!shown.contains("\u{1B}") && !shown.contains("LAST MINUTE"))
        text.signal(SIGTERM)
        #expect(try text.wait() == 0)
    }

    @Test func `a command that follows ends when its output is closed`() throws {
        let scene = try Scene()
        for words in ["sensors --watch", "query cpu --follow", "log --follow --owner"] {
            let call = try Invocation(
                "/bin/sh", ["-c", "\(Binary.nervous) \(words) | head -n 1"],
                environment: scene.sandbox.environment)
            #expect(call.code == 0 && !call.output.isEmpty, "\(words): \(call.errors)")
        }
    }

    @Test func `samples are printed as they arrive, with a sparkline below them`() throws {
        let scene = try Scene()
        for celsius in [20.0, 21] { try scene.publish(celsius) }
        let terminal = try scene.terminal(["query", "temperature.attic", "--follow"])
        // A subscription is not announced: publish until one is seen.
        var celsius = 22.0
        var seen = false
        while !seen {
            try scene.publish(celsius)
            seen = (try? terminal.await("\(Int(celsius)) °C", atMost: .seconds(2))) != nil
            celsius += 1
        }
        try scene.publish(30.25)
        try terminal.await("20 °C to 30.25 °C")
        let lines = Self.screen(terminal).lines.filter { !$0.isEmpty }
        #expect(lines[0].split(separator: " ") == ["TIME", "celsius", "battery"])
        #expect(lines[lines.count - 2].hasSuffix("  30.25 °C  50 %"), "\(lines)")
        let course = try #require(lines.last)
        #expect(course.hasPrefix("celsius ▁") && course.hasSuffix("█ 20 °C to 30.25 °C"))
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 0)
        // The sparkline is erased.
        #expect(Self.screen(terminal).lines.allSatisfy { !$0.hasPrefix("celsius") })
    }

    @Test func `samples in a pipe are objects or lines with the chosen fields`() throws {
        let scene = try Scene()
        let sandbox = scene.sandbox
        let json = try scene.piped("query", "cpu", "--follow", "--json", "--fields", "busy")
        let lines = try json.read { $0.count { $0 == 0x0A } >= 2 }.split(separator: 0x0A)
        for line in lines.prefix(2) {
            let sample = try JSONDecoder().decode([String: Double].self, from: line)
            #expect(Set(sample.keys) == ["t", "busy"])
        }
        json.signal(SIGINT)
        #expect(try json.wait() == 0)

        let csv = try scene.piped("query", "cpu", "--follow", "--format", "csv", "--fields", "busy")
        let text = String(
            decoding: try csv.read { $0.count { $0 == 0x0A } >= 3 }, as: UTF8.self)
        #expect(text.hasPrefix("t,busy\n1") && !text.contains("\u{1B}"))
        csv.signal(SIGINT)
        #expect(try csv.wait() == 0)

        #expect(try sandbox.nervous("query", "nothing", "--follow").code == 66)
        #expect(try sandbox.nervous("query", "cpu", "--follow", "--fields", "no").code == 64)
        for word in ["--stats", "--last", "--from", "--to", "--where", "--limit"] {
            let value = word == "--stats" ? "mean" : word == "--limit" ? "3" : "1m"
            let call = try sandbox.nervous("query", "cpu", "--follow", word, value)
            #expect(call.code == 64, "\(word): \(call.errors)")
        }
    }

    @Test func `several sensors are followed together, the newest samples first`() throws {
        let scene = try Scene()
        try scene.publish(20)
        let json = try scene.piped(
            "query", "temperature.attic:celsius", "cpu:busy", "--follow", "--newest", "--json")
        let lines = try json.read { $0.count { $0 == 0x0A } >= 3 }.split(separator: 0x0A)
        struct Sample: Decodable {
            let sensor: String
            let t: Double
            let celsius: Double?
            let busy: Double?
            let battery: Double?
            let core0: Double?
        }
        let samples = try lines.prefix(3).map { try JSONDecoder().decode(Sample.self, from: $0) }
        #expect(samples.contains { $0.sensor == "temperature.attic" && $0.celsius == 20 })
        #expect(samples.contains { $0.sensor == "cpu" && $0.busy != nil })
        #expect(samples.allSatisfy { $0.battery == nil && $0.core0 == nil })
        json.signal(SIGINT)
        #expect(try json.wait() == 0)

        let text = try scene.piped("query", "cpu:busy", "load", "--follow", "--newest")
        let shown = String(
            decoding: try text.read { $0.count { $0 == 0x0A } >= 3 }, as: UTF8.self)
        #expect(shown.hasPrefix("TIME"))
        #expect(shown.contains("cpu") && shown.contains("busy ") && !shown.contains("core0"))
        text.signal(SIGINT)
        #expect(try text.wait() == 0)

        let csv = try scene.piped(
            "query", "cpu:busy", "load", "--follow", "--newest", "--format", "csv")
        let rows = String(
            decoding: try csv.read { $0.count { $0 == 0x0A } >= 3 }, as: UTF8.self)
        #expect(rows.hasPrefix("t,sensor,field,value\n1") && rows.contains(",cpu,busy,"))
        csv.signal(SIGINT)
        #expect(try csv.wait() == 0)
    }

    @Test func `the storage is followed as lines or as JSON`() throws {
        let scene = try Scene()
        let text = try scene.piped("storage", "list", "--follow")
        let line = String(decoding: try text.read { $0.contains(0x0A) }, as: UTF8.self)
        #expect(line.contains(" of ") && line.contains("free on disk"))
        text.signal(SIGINT)
        #expect(try text.wait() == 0)
        let json = try scene.piped("storage", "list", "--follow", "--json")
        struct Size: Decodable {
            let bytes, budget, free: Int64
        }
        let data = try json.read { $0.contains(0x0A) }.split(separator: 0x0A)[0]
        #expect(try JSONDecoder().decode(Size.self, from: data).bytes > 0)
        json.signal(SIGINT)
        #expect(try json.wait() == 0)
    }

    @Test func `a sensor that cannot be followed is reported, and the others go on`() throws {
        let scene = try Scene()
        let sandbox = scene.sandbox
        let some = try Invocation(
            "/bin/sh", ["-c", "\(Binary.nervous) query nothing cpu --follow --newest | head -n 2"],
            environment: sandbox.environment)
        #expect(some.output.contains("cpu") && some.errors.contains("nothing"))
        #expect(try sandbox.nervous("query", "nothing", "none", "--follow").code == 66)
        #expect(try sandbox.nervous("query", "cpu:no", "load", "--follow").code == 64)
    }

    @Test func `one call computes statistics of several sensors`() throws {
        let scene = try Scene()
        let sandbox = scene.sandbox
        for celsius in [20.0, 21, 22.123456] { try scene.publish(celsius) }
        let words = ["query", "temperature.attic:celsius", "cpu:busy", "--stats", "max,count"]
        let table = try sandbox.nervous(words)
        #expect(table.code == 0, "\(table.errors)")
        let lines = table.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.first == ["SENSOR", "FIELD", "MAX", "COUNT"])
        #expect(lines.contains { $0.starts(with: ["temperature.attic", "celsius"]) })
        #expect(lines.contains { $0.starts(with: ["cpu", "busy"]) })
        let csv = try sandbox.nervous(words + ["--digits", "3", "--format", "csv"])
        #expect(csv.output.contains("sensor,field,max,count\n"))
        #expect(csv.output.contains("temperature.attic,celsius,22.1,3"))
        // A single sensor can be rounded, too.
        let json = try sandbox.nervous(
            "query", "temperature.attic", "--stats", "max", "--digits", "2", "--json")
        #expect(json.output.contains(#""max":[22]"#), "\(json.output)")
        let windows = try sandbox.nervous(
            "query", "cpu", "temperature.attic:celsius", "--stats", "mean", "--last", "1h",
            "--every", "30m", "--format", "csv")
        #expect(windows.output.hasPrefix("from,sensor,field,mean\n"))
        // The others are printed, and the problem is the result.
        let missing = try sandbox.nervous("query", "nothing", "cpu:busy", "--stats", "mean")
        #expect(missing.code == 66 && missing.output.contains("cpu"))
        #expect(missing.errors.contains("nothing"))
        let none = try sandbox.nervous("query", "cpu:none", "--stats", "mean")
        #expect(none.code != 0 && none.output.isEmpty)
    }

    @Test(arguments: [
        ["cpu", "load"], ["cpu:busy"], ["cpu", "--digits", "3"], ["cpu", "--newest"],
        ["cpu", "--stats", "mean", "--digits", "0"], ["cpu", "--stats", "mean", "--digits", "18"],
        ["cpu", "load", "--stats", "mean", "--fields", "busy"],
        ["cpu", "load", "--stats", "mean", "--where", "busy>1"], [],
    ])
    func `contradictory options of a query are a usage error`(words: [String]) throws {
        #expect(try Sandbox().nervous(["query"] + words).code == 64)
    }

    @Test func `commands that follow end with 69 when the host stops`() throws {
        let scene = try Scene()
        let query = try scene.piped("query", "cpu", "--follow", "--json")
        _ = try query.read { $0.contains(0x0A) }
        scene.host.kill(SIGTERM)
        #expect(try query.wait() == 69)
    }

    @Test func `without a host a command that follows collects samples itself`() throws {
        let sandbox = try Sandbox()
        let query = try Program(
            Binary.nervous, ["query", "cpu", "--follow", "--json"],
            environment: sandbox.environment, output: .pipe)
        _ = try query.read { $0.count { $0 == 0x0A } >= 2 }
        // Other commands reach it meanwhile.
        #expect(try sandbox.nervous("status").code == 0)
        query.signal(SIGINT)
        #expect(try query.wait() == 0)
    }

    @Test func `new entries of the log follow the last ones, with the same filters`() throws {
        let scene = try Scene()
        #expect(
            try scene.sandbox.nervous("token", "create", "first", "--allow", "sensor:cpu").code == 0
        )
        let terminal = try scene.terminal(["log", "--follow", "--kind", "token-created"])
        try terminal.await("first")
        #expect(
            try scene.sandbox.nervous("token", "create", "second", "--allow", "sensor:cpu").code
                == 0)
        try terminal.await("second")
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 0)
        let lines = Self.screen(terminal).lines.filter { !$0.isEmpty }
        #expect(lines.count { $0.contains("TIME") } == 1)
        #expect(lines.count { $0.contains("token-created") } == 2, "\(lines)")

        let json = try scene.piped("log", "--follow", "--json", "--kind", "token-created")
        let first = try json.read { $0.count { $0 == 0x0A } >= 2 }
        #expect(
            try scene.sandbox.nervous("token", "create", "third", "--allow", "sensor:cpu").code == 0
        )
        let rest = try json.read { $0.contains(0x0A) }
        struct Entry: Decodable {
            let client: String
        }
        let clients = try (first + rest).split(separator: 0x0A).map {
            try JSONDecoder().decode(Entry.self, from: $0).client
        }
        #expect(clients == ["first", "second", "third"])
        json.signal(SIGINT)
        #expect(try json.wait() == 0)
        #expect(try scene.sandbox.nervous("log", "--follow", "--verify").code == 64)
    }

    @Test(arguments: [(80, 24), (40, 15)])
    func `lists fit the terminal, and are complete elsewhere`(columns: Int, rows: Int) throws {
        let sandbox = try Sandbox()
        let app = "\(Binary.repository)/jsapps/hello-sensors"
        #expect(try sandbox.nervous("install", app).code == 0)
        for words in [["apps"], ["sensors", "list", "--all"], ["log"], ["config"], ["storage"]] {
            let terminal = try sandbox.terminal(words, columns: columns, rows: rows)
            #expect(try terminal.finish() == 0)
            for line in terminal.text.split(separator: "\n") where !Self.isRemark(line) {
                #expect(line.count <= columns, "\(words): \(line)")
            }
        }
        let list = try sandbox.nervous("sensors", "list", "--all").output
        #expect(list.split(separator: "\n").contains { $0.count > 80 })
        #expect(!list.contains("…\n") || list.contains(", …\n"))
    }

    /// A sentence, which the terminal wraps.
    private static func isRemark(_ line: Substring) -> Bool {
        line.hasSuffix(".") || line.contains("nervous ") || line.hasPrefix("Default rule")
            || line.hasPrefix("Access log")
            || line.contains("on disk")
    }
}
