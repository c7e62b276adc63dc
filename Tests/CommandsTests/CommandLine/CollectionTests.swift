import Foundation
import TestSupport
import Testing

/// Collecting with the built program: acknowledged samples survive anything.
@Suite(.blocking)
struct CollectionTests {
    private struct Samples: Decodable {
        let items: [[String: Double]]
    }

    private struct Status: Decodable {
        let samples: Int
        let buffered: Int

        var acknowledged: Int { samples - buffered }
    }

    private func status(_ sandbox: Sandbox) throws -> Status {
        let text = try sandbox.nervous("status", "--json").output
        return try JSONDecoder().decode(Status.self, from: Data(text.utf8))
    }

    private func times(_ sandbox: Sandbox) throws -> [Double] {
        let query = try sandbox.nervous("query", "load", "--limit", "10000", "--json")
        return try JSONDecoder().decode(Samples.self, from: Data(query.output.utf8)).items
            .compactMap { $0["t"] }
    }

    @Test func `kill -9 while collecting loses nothing that was already in the file`() throws {
        let sandbox = try Sandbox()
        var acknowledged: Set<Double> = []
        for _ in 0..<5 {
            let host = try ServingHost(sandbox, ["--flush", "0s"])
            #expect(try sandbox.nervous("sensors", "set", "load", "10ms").code == 0)
            var seen: [Double] = []
            try waitUntil {
                seen = try times(sandbox)
                return seen.count >= acknowledged.count + 20
            }
            // Every sample accepted until now must reach the file.
            let target = try status(sandbox).samples
            try waitUntil { try status(sandbox).acknowledged >= target }
            acknowledged.formUnion(seen)
            host.kill(SIGKILL)
            #expect(try host.wait() == 128 + SIGKILL)
        }
        // The next start needs no repair.
        let kept = try times(sandbox)
        let lost = acknowledged.subtracting(kept).count
        #expect(lost == 0)
        #expect(Set(kept).count == kept.count)
    }

    @Test func `SIGTERM writes buffered samples and exits with 0`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox, ["--flush", "10m"])
        #expect(try sandbox.nervous("sensors", "set", "load", "1ms").code == 0)
        var seen: [Double] = []
        try waitUntil {
            seen = try times(sandbox)
            return seen.count >= 5
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let lost = Set(seen).subtracting(try times(sandbox)).count
        #expect(lost == 0)
    }

    @Test func `nervous reload writes buffered samples, and kill -9 loses none of them`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox, ["--flush", "10m"])
        #expect(try sandbox.nervous("sensors", "set", "load", "10ms").code == 0)
        var seen: [Double] = []
        try waitUntil {
            seen = try times(sandbox)
            return seen.count >= 20
        }
        let before = try status(sandbox)
        #expect(before.buffered >= 20)
        #expect(try sandbox.nervous("reload").code == 0)
        try waitUntil { try status(sandbox).acknowledged >= before.samples }
        host.kill(SIGKILL)
        #expect(try host.wait() == 128 + SIGKILL)
        let lost = Set(seen).subtracting(try times(sandbox)).count
        #expect(lost == 0)
    }

    @Test(arguments: ["0", "11m", "soon"])
    func `an invalid flush interval is refused`(text: String) throws {
        let call = try Sandbox().nervous("serve", "--port", "0", "--flush", text)
        #expect(call.code == 64)
        #expect(call.errors.contains("--flush must be a duration from 0s to 10m, such as 10s."))
    }

    @Test func `a sensor that is off stores no rows until it is turned on`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("sensors", "set", "load", "5ms").code == 0)
        try waitUntil { try !times(sandbox).isEmpty }
        #expect(try sandbox.nervous("sensors", "set", "load", "off").code == 0)
        let frozen = try times(sandbox)
        #expect(try sandbox.nervous("sensors", "set", "memory", "5ms").code == 0)
        let other = try sandbox.nervous("query", "memory", "--json").output
        try waitUntil { try sandbox.nervous("query", "memory", "--json").output != other }
        let isFrozen = try times(sandbox) == frozen
        #expect(isFrozen)
        host.kill(SIGTERM)
        _ = try host.wait()
        // The level survives a restart.
        let again = try ServingHost(sandbox)
        #expect(try sandbox.nervous("sensors").output.contains(/load +off/))
        #expect(try sandbox.nervous("sensors", "set", "load", "5ms").code == 0)
        try waitUntil { try times(sandbox).count != frozen.count }
        again.kill(SIGTERM)
        #expect(try again.wait() == 0)
    }

    @Test func `concurrent commands wait for each other if no host runs`() async throws {
        let sandbox = try Sandbox()
        let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for words in [["apps"], ["sensors"], ["log"], ["query", "cpu"], ["status"]] {
                group.addTask { try sandbox.nervous(words).code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == [0, 0, 0, 0, 0])
    }

    @Test func `a command that waits for another one says so at a terminal`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("apps").code == 0)
        let lock = open("\(sandbox.data)/host.lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let holder = Array("\(getpid())\n".utf8)
        #expect(ftruncate(lock, 0) == 0 && pwrite(lock, holder, holder.count, 0) == holder.count)
        let terminal = try sandbox.terminal("apps")
        try terminal.await("Waiting for process \(getpid()), which uses \(sandbox.data)…")
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try terminal.finish() == 0)
    }

    @Test func `a fixture tree replaces hardware that the machine lacks`() throws {
        let sandbox = try Sandbox()
        let device = sandbox.path("sys/bus/iio/devices/iio:device0")
        try FileManager.default.createDirectory(
            atPath: device, withIntermediateDirectories: true)
        let files = [
            "name": "bma250\n", "in_accel_x_raw": "100\n", "in_accel_y_raw": "-200\n",
            "in_accel_z_raw": "1000\n", "in_accel_scale": "0.01\n",
        ]
        for (name, text) in files {
            try text.write(toFile: "\(device)/\(name)", atomically: true, encoding: .utf8)
        }
        let roots = ["--sys-root", sandbox.path("sys")]
        let query = try sandbox.nervous(["query", "accelerometer", "--json"] + roots)
        #expect(query.output.contains(#""x":1.0,"y":-2.0,"z":10.0"#))
        let missing = try sandbox.nervous(["sensors", "list", "--all"] + roots)
        #expect(missing.output.contains("battery"))
        let absent = try sandbox.nervous(["query", "gyroscope"] + roots)
        #expect(absent.code == 69)
    }
}
