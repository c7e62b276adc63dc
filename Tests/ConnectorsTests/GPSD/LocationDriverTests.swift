import Foundation
import Samples
import TestSupport
import Testing
import Tracks
import VM

@testable import Connectors

/// The availability of `location`, and its samples in a virtual machine.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LocationDriverTests {
    private static let greeting =
        #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

    private func isUnavailable(_ item: DiscoveredSensor, because reason: String) -> Bool {
        guard case .unavailable(let reported, let remedy) = item.availability else { return false }
        return reported == reason && remedy == "sudo apt-get install gpsd"
    }

    @Test func `without gpsd location becomes unavailable quickly`() async throws {
        let closedPort = ClosedPort()
        let port = closedPort.number
        let start = ContinuousClock.now
        let found = LocationDriver(port: port).discover()
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(
            found.map(\.sensor.id) == ["location", "satellites", "location-quality", "gps-time"])
        for item in found {
            #expect(isUnavailable(item, because: "no gpsd answers at 127.0.0.1:\(port)"))
        }
        withExtendedLifetime(closedPort) {}
    }

    @Test(arguments: [
        ("", "the server at 127.0.0.1:PORT sent nothing"),
        ("{\"class\":\"VERSION\"", "the server at 127.0.0.1:PORT sent nothing"),
        ("SSH-2.0-OpenSSH\r\n", "the server at 127.0.0.1:PORT is not gpsd"),
        (String(repeating: "x", count: 20_000), "the server at 127.0.0.1:PORT is not gpsd"),
    ])
    func `a server that is not gpsd does not delay discovery`(
        greeting: String, reason: String
    ) async throws {
        let server = try await ScriptedServer { _ in .init(greeting: greeting) }
        let start = ContinuousClock.now
        // An answer may take long on a busy machine; of silence the test need not see more.
        let isSilent = reason.hasSuffix("sent nothing")
        let driver = LocationDriver(
            port: server.port, timeout: isSilent ? .milliseconds(200) : Program.patience)
        let found = driver.discover()
        #expect(ContinuousClock.now - start < .seconds(20))
        let expected = reason.replacing("PORT", with: "\(server.port)")
        #expect(found.allSatisfy { isUnavailable($0, because: expected) })
    }

    @Test func `the machine stores its position when gpsd runs`() async throws {
        let time = Timestamp.now().advanced(byMicroseconds: -1_000_000)
        let report =
            #"{"class":"TPV","mode":3,"time":"\#(time)","lat":47,"lon":8,"altMSL":400,"eph":5,"#
            + #""speed":1,"track":90}"# + "\n" + #"{"class":"SKY","uSat":5,"nSat":9}"# + "\n"
        let server = try await ScriptedServer { _ in
            .init(greeting: Self.greeting, answer: Array(report.utf8))
        }
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "location-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let machine = try await VirtualMachine.start(
            in: folder.path(percentEncoded: false),
            drivers: [LocationDriver(port: server.port, timeout: Program.patience)])
        #expect(await machine.status(of: "location")?.state == .available)
        #expect(await machine.status(of: "location")?.sensor.fields == Fix.fields)
        // gpsd is not contacted before collecting and while the sensor is off.
        #expect(server.received.isEmpty)
        try await machine.setLevel(.off, of: "satellites")
        try await machine.setLevel(.off, of: "location-quality")
        try await machine.setLevel(.off, of: "gps-time")
        let work = Task { await machine.collect() }
        try await until { await machine.samples.newest(of: "location") != nil }
        #expect(
            await machine.samples.newest(of: "location")?.values
                == [47, 8, 400, 5, 1, 90].map { .number($0) })
        #expect(server.received.count == 1)
        try await machine.setLevel(.medium, of: "satellites")
        try await until { await machine.samples.newest(of: "satellites") != nil }
        #expect(
            await machine.samples.newest(of: "satellites")?.values == [.integer(5), .integer(9)])
        // The time of the fix, and its arrival.
        #expect(await machine.samples.newest(of: "location")?.time == time)
        #expect(await machine.status(of: "location")?.clock != nil)
        try await machine.setLevel(.medium, of: "gps-time")
        try await until { await machine.samples.newest(of: "gps-time") != nil }
        let timed = try #require(await machine.samples.newest(of: "gps-time"))
        let seconds = Double(time.microseconds) / 1e6
        #expect(timed.values.first == .number(seconds))
        let delay = try #require(timed.values.last?.double)
        #expect(abs(Double(timed.time.microseconds) / 1e6 - seconds - delay) < 1e-5)
        #expect(await machine.status(of: "location")?.source?.link == .connected)
        work.cancel()
        await work.value
        await machine.close()
        try await until { server.open == 0 }
    }
}
