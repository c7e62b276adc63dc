import Foundation
import TestSupport
import Testing

/// The tiles of the bundled app for instruments, with a door on a serial line.
@Suite(.blocking, .serialized) struct DoorTileTests {
    /// The state of a tile, and since when in milliseconds.
    private struct Tile {
        let state: String
        let since: Double
    }

    /// Waits in the page until the state of a tile meets a condition.
    ///
    /// - Parameter condition: a JavaScript expression over `state`.
    private func tile(_ name: String, _ condition: String, in browser: Browser) throws -> Tile {
        let found = try browser.settle(
            """
            const { dataset } = document.getElementById("tile-\(name)");
            for (;;) {
              const { state, since } = dataset;
              if (\(condition)) return `${state} ${since}`;
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            """
        ).split(separator: " ").map(String.init)
        return Tile(
            state: found.dropLast().joined(separator: " "),
            since: try #require(found.last.flatMap(Double.init)))
    }

    private var now: Double { Date().timeIntervalSince1970 * 1000 }

    @Test func `tiles show the state of the door and of its connection within a second`() throws {
        let sandbox = try Sandbox()
        var line: TerminalPair? = try TerminalPair()
        let pack = try String(
            contentsOfFile: "\(Binary.repository)/sensorpacks/door-contact/sensor.json",
            encoding: .utf8
        ).replacing("/dev/ttyUSB0", with: try #require(line).path)
        let file = sandbox.path("sensor.json")
        try Data(pack.utf8).write(to: URL(filePath: file))
        let host = try ServingHost(sandbox)
        let app = "\(Binary.repository)/jsapps/external-hardware"
        #expect(try sandbox.nervous("install", app).code == 0)
        let installed = try sandbox.nervous("sensors", "install", file, "--yes")
        #expect(installed.code == 0, "\(installed.errors)")
        let granted = try sandbox.nervous(
            "permissions", "grant", "external-hardware", "sensor:door", "--only", "door.contact")
        #expect(granted.code == 0, "\(granted.errors)")
        let browser = try Browser(sandbox)
        let link = try sandbox.nervous("open", "external-hardware").output
        try browser.open(link.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(try tile("link", "state === 'connected'", in: browser).state == "connected")
        var late: [Double] = []
        for (number, state) in ["closed", "open", "closed", "open", "closed"].enumerated() {
            let sent = now
            line?.type("Battery Level: 9\(number)%\n")
            line?.type("Sensor state: \(state == "closed" ? 1 : 0)\nSwitch state: \(number % 2)\n")
            late.append(
                try tile("door", "state === '\(state)'", in: browser).since - sent)
        }
        // The first sample waits for the line discipline of the terminal and the connection.
        #expect(late.dropFirst().allSatisfy { $0 <= 1000 }, "\(late)")
        let ended = now
        line = nil
        let lost = try tile("link", "state !== 'connected'", in: browser)
        #expect(["connecting", "disconnected", "scanning"].contains(lost.state), "\(lost)")
        #expect(lost.since - ended <= 1000)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `without a door the tiles show that it is missing`() throws {
        let host = try PublishedHost([])
        let app = "\(Binary.repository)/jsapps/external-hardware"
        #expect(try host.sandbox.nervous("install", app).code == 0)
        let browser = try Browser(host.sandbox)
        try browser.open(try host.link("external-hardware"))
        for name in ["link", "door"] {
            #expect(try tile(name, "state !== 'unknown'", in: browser).state == "missing")
        }
    }
}
