import Foundation
import GRDB
import TestSupport
import Testing

/// `nervous sessions` as text and as JSON.
@Suite(.blocking)
struct SessionsTests {
    private struct Session: Decodable {
        let id: String
        let name: String
        let description: String
        let sensors: [String]
        let state: String
        let finished: Bool
        let distance: Double?
    }

    private struct List: Decodable {
        let items: [Session]
    }

    private struct Route: Decodable {
        struct Feature: Decodable {
            struct Geometry: Decodable {
                let coordinates: [[Double]]
            }
            let geometry: Geometry
        }
        let features: [Feature]
        let distance: Double
        let distanceSource: String
    }

    private func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private func sessions(_ sandbox: Sandbox) throws -> [Session] {
        try decoded(List.self, sandbox.nervous("sessions", "--json").output).items
    }

    /// Creates a session with a location sensor, and returns its identifier.
    private func make(_ sandbox: Sandbox) throws -> String {
        let added = try sandbox.nervous(
            "sensors", "add", "location.phone", "--field", "latitude:deg", "--field",
            "longitude:deg")
        #expect(added.code == 0, "\(added.errors)")
        let made = try sandbox.nervous(
            "sessions", "new", "Lunch walk", "--sensor", "location.phone", "--description",
            "By the lake")
        #expect(made.code == 0, "\(made.errors)")
        let id = made.output.trimmingCharacters(in: .newlines)
        #expect(made.errors.contains("nervous sessions start \(id)"))
        return id
    }

    @Test func `a session is created, listed, shown, edited and deleted`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("sessions").errors.contains("No sessions."))
        let id = try make(sandbox)
        let table = try sandbox.nervous("sessions").output
        for word in ["SESSION", id, "not started", "Lunch walk"] {
            #expect(table.contains(word), "\(word)")
        }
        let edited = try sandbox.nervous(
            "sessions", "edit", id, "--name", "Evening walk", "--description", "", "--sensor",
            "load", "--distance", "4200")
        #expect(edited.code == 0, "\(edited.errors)")
        let found = try #require(try sessions(sandbox).first)
        #expect(found.name == "Evening walk")
        #expect(found.description.isEmpty)
        #expect(found.sensors == ["load"])
        #expect(found.distance == 4200)
        let shown = try sandbox.nervous("sessions", "show", id).output
        for word in ["Evening walk (\(id))", "not started", "load", "4200 m, entered by hand"] {
            #expect(shown.contains(word), "\(word): \(shown)")
        }
        #expect(try sandbox.nervous("sessions", "delete", id).code == 0)
        #expect(try sessions(sandbox).isEmpty)
        #expect(try sandbox.nervous("sessions", "show", id).code == 66)
    }

    @Test func `an active session continues after the host was killed`() throws {
        let sandbox = try Sandbox()
        var host: ServingHost? = try ServingHost(sandbox)
        let id = try make(sandbox)
        let started = try sandbox.nervous("sessions", "start", id)
        #expect(started.output == "\(id) is active, after 0 min 0 secs of activity.\n")
        #expect(started.errors.isEmpty)
        host?.kill(SIGKILL)
        _ = try host?.wait()
        host = nil
        #expect(try sessions(sandbox).first?.state == "active")
        let paused = try sandbox.nervous("sessions", "pause", id)
        #expect(paused.output.hasPrefix("\(id) is paused, after "))
        let resumed = try sandbox.nervous("sessions", "resume", id)
        #expect(resumed.errors.contains("Samples are collected only while a host runs"))
        #expect(try sandbox.nervous("sessions", "finish", id).code == 0)
        let refused = try sandbox.nervous("sessions", "start", id)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("error: "))
        #expect(try sessions(sandbox).first?.finished == true)
    }

    @Test func `the route is exported as GeoJSON and GPX, to a file or a program`() throws {
        let sandbox = try Sandbox()
        let id = try make(sandbox)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        // Makes the session start a minute ago.
        let queue = try DatabaseQueue(path: "\(sandbox.data)/sessions.sqlite")
        try queue.write {
            try $0.execute(sql: "UPDATE session_event SET time = time - 60000000")
        }
        try queue.close()
        let now = (Date().timeIntervalSince1970 * 1000).rounded()
        let rows = (0..<3).map { "\(Int(now) - 40_000 + $0 * 10_000),47,\(8 + Double($0) / 1000)" }
        try Data(("t,latitude,longitude\n" + rows.joined(separator: "\n") + "\n").utf8)
            .write(to: URL(filePath: sandbox.path("walk.csv")))
        let sent = try sandbox.nervous(
            "import", sandbox.path("walk.csv"), "--sensor", "location.phone")
        #expect(sent.code == 0, "\(sent.errors)")
        let measured = try decoded(
            Route.self, sandbox.nervous("sessions", "export", id).output)
        #expect(
            measured.features.map(\.geometry.coordinates) == [
                [[8, 47], [8.001, 47], [8.002, 47]]
            ])
        #expect(measured.distanceSource == "measured")
        // A thousandth of a degree of longitude at 47 degrees north is 76.06 m.
        #expect(abs(measured.distance - 152.1) < 0.1)
        #expect(try sandbox.nervous("sessions", "show", id).output.contains("route    152 m\n"))
        #expect(try sandbox.nervous("sessions", "edit", id, "--distance", "1500").code == 0)
        let file = sandbox.path("walk.geojson")
        #expect(try sandbox.nervous("sessions", "export", id, "-o", file).code == 0)
        let route = try decoded(Route.self, String(contentsOfFile: file, encoding: .utf8))
        #expect(route.distance == 1500)
        #expect(route.distanceSource == "manual")
        let again = try sandbox.nervous("sessions", "export", id, "-o", file)
        #expect(again.code == 73)
        let gpx = try sandbox.nervous("sessions", "export", id, "--format", "gpx")
        let dash = try sandbox.nervous("sessions", "export", id, "--format", "gpx", "-o", "-")
        #expect(dash.output == gpx.output)
        #expect(gpx.output.contains("<name>Lunch walk</name>"))
        #expect(gpx.output.contains("<n:distance>1500</n:distance>"))
        let terminal = try sandbox.terminal("sessions", "export", id)
        #expect(try terminal.finish() == 64)
    }

    /// Two points, as other programs write them.
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><name>Ridge</name><trkseg>
        <trkpt lat="47" lon="8"><time>2026-03-01T12:00:00Z</time></trkpt>
        <trkpt lat="47.001" lon="8.001"><time>2026-03-01T12:01:00.25Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    @Test func `workouts are transferred between hosts in a property list`() throws {
        let (here, there) = (try Sandbox(), try Sandbox())
        try Data(Self.gpx.utf8).write(to: URL(filePath: here.path("ridge.gpx")))
        let taken = try here.nervous("sessions", "import", here.path("ridge.gpx"))
        #expect(taken.code == 0, "\(taken.errors)")
        #expect(taken.output.contains("Ridge"))
        let id = try make(here)
        for words in [["start"], ["finish"], ["edit", "--distance", "4200"]] {
            let call = try here.nervous(["sessions", words[0], id] + words.dropFirst())
            #expect(call.code == 0, "\(call.errors)")
        }
        _ = try here.nervous("sessions", "new", "Not begun", "--sensor", "load")
        let file = here.path("workouts.plist")
        let written = try here.nervous("sessions", "export", "--format", "plist", "-o", file)
        #expect(written.code == 0, "\(written.errors)")
        let read = try there.nervous("sessions", "import", file)
        #expect(read.code == 0, "\(read.errors)")
        let sent = try sessions(here).filter { $0.finished }
        #expect(try sessions(there).map(\.id) == sent.map(\.id))
        #expect(try sessions(there).map(\.sensors) == sent.map(\.sensors))
        let again = try there.nervous("sessions", "export", "--format", "plist")
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(again.output.utf8))
        let ridge = try #require(sent.first { $0.name == "Ridge" }).id
        let route = try decoded(Route.self, there.nervous("sessions", "export", ridge).output)
        #expect(route.features.map(\.geometry.coordinates) == [[[8, 47], [8.001, 47.001]]])
        let twice = try there.nervous("sessions", "import", file)
        #expect(twice.code == 0)
        #expect(twice.errors.contains("Already exist: "))
        #expect(try sessions(there).count == 2)
    }

    @Test func `what is left out of a file of tracks is reported, whatever the file's name`() throws
    {
        let sandbox = try Sandbox()
        let file = sandbox.path("ridge.download")
        let plan =
            "<rte><name>Plan</name><rtept lat='1' lon='1'/><rtept lat='1' lon='2'/></rte></gpx>"
        let text = Self.gpx.replacingOccurrences(of: "</gpx>", with: plan)
        try Data(text.utf8).write(to: URL(filePath: file))
        let call = try sandbox.nervous("sessions", "import", file)
        #expect(call.code == 0, "\(call.errors)")
        #expect(call.output.contains("Ridge") && !call.output.contains("Plan"))
        #expect(call.errors.contains("Plan: left out: it has 2 points and no times."))
        let again = try sandbox.nervous(
            "sessions", "import", file, "--start", "2026-05-01 09:30", "--speed", "20")
        #expect(again.code == 0, "\(again.errors)")
        #expect(again.output.contains("2026-05-01 09:30"), "\(again.output)")
        #expect(again.errors.contains("Already exist: "))
        try Data("<gpx><wpt lat='1' lon='1'/></gpx>".utf8).write(to: URL(filePath: file))
        let places = try sandbox.nervous("sessions", "import", file)
        #expect(places.code == 65)
        #expect(
            places.errors.contains(
                "was not imported: The file has nothing to import: only 1 waypoint."))
        #expect(places.errors.contains("hint: "))
    }

    @Test func `a corrupt property list is rejected with the reason, and nothing is lost`()
        throws
    {
        let sandbox = try Sandbox()
        var host: ServingHost? = try ServingHost(sandbox)
        let id = try make(sandbox)
        for (name, text) in [
            ("cut", "<?xml version=\"1.0\"?><plist><array><dict><key>startTime</key>"),
            ("deep", "<plist>" + String(repeating: "<array>", count: 100_000)),
            ("bad", "bplist00\u{1}\u{2}"), ("empty", ""),
        ] {
            let file = sandbox.path("\(name).plist")
            try Data(text.utf8).write(to: URL(filePath: file))
            let call = try sandbox.nervous("sessions", "import", file)
            #expect(call.code == 65, "\(name): \(call.errors)")
            #expect(call.errors.contains("error: \(file) was not imported: The "), "\(call.errors)")
        }
        #expect(try sessions(sandbox).map(\.id) == [id])
        // The host was not restarted.
        host?.kill(SIGTERM)
        #expect(try host?.wait() == 0)
        host = nil
    }

    @Test func `the route is a valid SVG image`() throws {
        let sandbox = try Sandbox()
        try Data(Self.gpx.utf8).write(to: URL(filePath: sandbox.path("ridge.gpx")))
        #expect(try sandbox.nervous("sessions", "import", sandbox.path("ridge.gpx")).code == 0)
        let id = try #require(try sessions(sandbox).first?.id)
        let file = sandbox.path("ridge.svg")
        let call = try sandbox.nervous("sessions", "export", id, "--format", "svg", "-o", file)
        #expect(call.code == 0, "\(call.errors)")
        let picture = try String(contentsOfFile: file, encoding: .utf8)
        #expect(picture.contains("<polyline class=\"route\""))
        #expect(picture.contains("<title>Ridge</title>"))
    }

    @Test func `a session without a route is exported as samples, and drawn`() throws {
        let sandbox = try Sandbox()
        let made = try sandbox.nervous("sessions", "new", "Desk", "--sensor", "load")
        let id = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        #expect(try sandbox.nervous("query", "load").code == 0)
        #expect(try sandbox.nervous("sessions", "finish", id).code == 0)
        for (words, start) in [
            ([], "t,load1"), (["--format", "csv"], "t,load1"), (["--format", "ndjson"], "{\"t\":"),
            (["--format", "json"], "{\"sensor\":\"load\""), (["--format", "svg"], "<?xml"),
            (["--sensor", "load"], "t,load1"),
        ] {
            let call = try sandbox.nervous(["sessions", "export", id] + words)
            #expect(call.code == 0, "\(call.errors)")
            #expect(call.output.hasPrefix(start), "\(words): \(call.output.prefix(80))")
        }
        let route = try sandbox.nervous("sessions", "export", id, "--format", "gpx")
        #expect(route.code != 0)
        #expect(route.errors.contains("/api/v1/sessions/\(id)/samples"))
    }

    @Test func `a running session is shown once a second until it ends`() throws {
        let sandbox = try Sandbox()
        var host: ServingHost? = try ServingHost(sandbox)
        #expect(try sandbox.nervous("sessions", "watch").code == 66)
        #expect(try sandbox.nervous("sensors", "add", "steps.shoe", "--field", "steps:1").code == 0)
        let made = try sandbox.nervous("sessions", "new", "Stairs", "--sensor", "steps.shoe")
        let id = made.output.trimmingCharacters(in: .newlines)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        let terminal = try sandbox.terminal("sessions", "watch")
        try terminal.await("0 min ")
        for count in [100, 142] {
            let now = Int((Date().timeIntervalSince1970 * 1000).rounded())
            try Data("t,steps\n\(now),\(count)\n".utf8)
                .write(to: URL(filePath: sandbox.path("steps.csv")))
            let sent = try sandbox.nervous(
                "import", sandbox.path("steps.csv"), "--sensor", "steps.shoe")
            #expect(sent.code == 0, "\(sent.errors)")
        }
        try terminal.await("29.40m | 42 steps")
        #expect(try sandbox.nervous("sessions", "finish", id).code == 0)
        try terminal.await("29.40m | 42 steps | finished")
        #expect(try terminal.finish() == 0)
        let shown = try sandbox.nervous("sessions", "watch", id, "--json").output
        #expect(shown.split(separator: "\n").count == 1)
        #expect(shown.contains(#""text":"29.40m | 42 steps""#))
        host?.kill(SIGTERM)
        #expect(try host?.wait() == 0)
        host = nil
    }

    @Test func `a damaged database is renamed with a message, and the host continues`() throws {
        let sandbox = try Sandbox()
        _ = try make(sandbox)
        let file = "\(sandbox.data)/sessions.sqlite"
        let damaged = Data("no database at all".utf8)
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: damaged)
        try handle.close()
        let call = try sandbox.nervous("sessions")
        #expect(call.code == 0)
        #expect(call.errors.contains("was renamed"))
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.data)
        let kept = try #require(
            names.first { $0.wholeMatch(of: /sessions\.sqlite\.damaged-\d+T\d+Z/) != nil })
        #expect(try Data(contentsOf: URL(filePath: "\(sandbox.data)/\(kept)")) == damaged)
        #expect(try !sandbox.nervous("sessions").errors.contains("was renamed"))
        #expect(
            try sandbox.nervous("doctor", "databases").output.contains("sessions.sqlite is intact"))
    }

    @Test(arguments: [
        ["new", "x"], ["new", "", "--sensor", "load"], ["edit", "x"],
        ["edit", "x", "--distance", "-1"], ["edit", "x", "--distance", "nan"],
        ["export", "x", "--format", "kml"], ["export"], ["export", "--format", "gpx"],
        ["export", "--format", "plist", "--sensor", "location"], ["import"],
        ["import", "x.gpx", "--speed", "5"], ["import", "x.gpx", "--start", "now", "--speed", "0"],
        ["start"], ["--limit", "0"],
    ])
    func `invalid options are usage errors`(words: [String]) throws {
        let call = try Sandbox().nervous(["sessions"] + words)
        #expect(call.code == 64, "\(call.errors)")
        #expect(call.errors.contains("rror: "))
    }
}
