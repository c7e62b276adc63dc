import Foundation
import GRDB
import Testing

/// `nervous sessions` as a person and as a script meet it.
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

    /// Makes a session with a sensor of locations, and says what it is called by.
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

    @Test func `a session is made, listed, shown, edited and deleted`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("sessions").errors.contains("There are no sessions."))
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

    @Test func `B16: a session that is active goes on when the host was killed`() throws {
        let sandbox = try Sandbox()
        var host: ServingHost? = try ServingHost(sandbox)
        let id = try make(sandbox)
        let started = try sandbox.nervous("sessions", "start", id)
        #expect(started.output == "\(id) is active, after 0 min 0 secs of activity.\n")
        #expect(started.errors.isEmpty)
        host?.kill(SIGKILL)
        _ = host?.wait()
        host = nil
        #expect(try sessions(sandbox).first?.state == "active")
        let paused = try sandbox.nervous("sessions", "pause", id)
        #expect(paused.output.hasPrefix("\(id) is paused, after "))
        let resumed = try sandbox.nervous("sessions", "resume", id)
        #expect(resumed.errors.contains("Nothing is collected while no host runs"))
        #expect(try sandbox.nervous("sessions", "finish", id).code == 0)
        let refused = try sandbox.nervous("sessions", "start", id)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("error: "))
        #expect(try sessions(sandbox).first?.finished == true)
    }

    @Test func `B17: the route is exported as GeoJSON and GPX, to a file or a program`() throws {
        let sandbox = try Sandbox()
        let id = try make(sandbox)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        // As if it had been started a minute ago.
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
        #expect(gpx.output.contains("<name>Lunch walk</name>"))
        #expect(gpx.output.contains("<n:distance>1500</n:distance>"))
        let terminal = try sandbox.terminal("sessions", "export", id)
        #expect(try terminal.finish() == 64)
    }

    @Test func `B16: a damaged book is set aside with a message, and the host goes on`() throws {
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
        #expect(call.errors.contains("set aside"))
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.data)
        let kept = try #require(
            names.first { $0.wholeMatch(of: /sessions\.sqlite\.damaged-\d+T\d+Z/) != nil })
        #expect(try Data(contentsOf: URL(filePath: "\(sandbox.data)/\(kept)")) == damaged)
        #expect(try !sandbox.nervous("sessions").errors.contains("set aside"))
        #expect(
            try sandbox.nervous("doctor", "databases").output.contains("sessions.sqlite is sound"))
    }

    @Test(arguments: [
        ["new", "x"], ["new", "", "--sensor", "load"], ["edit", "x"],
        ["edit", "x", "--distance", "-1"], ["edit", "x", "--distance", "nan"],
        ["export", "x", "--format", "kml"], ["start"], ["--limit", "0"],
    ])
    func `what cannot be meant is a fault of usage`(words: [String]) throws {
        let call = try Sandbox().nervous(["sessions"] + words)
        #expect(call.code == 64, "\(call.errors)")
        #expect(call.errors.contains("rror: "))
    }
}
