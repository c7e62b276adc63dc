import Foundation
import TestSupport
import Testing

/// Missing sensors are reported before permission is requested.
@Suite(.blocking)
struct AvailabilityTests {
    /// An app that prints the result for each sensor that it declares.
    private func app(_ sandbox: Sandbox, _ sensors: [String]) throws -> String {
        let script = """
            (async () => {
              for (const name of \(sensors)) {
                const { available } = await nervous.sensor(name).describe();
                console.log(name, available ? "there" : "missing");
              }
            })();
            """
        return try sandbox.app(
            script,
            manifest: [
                "name": "demo", "version": "1",
                "privileges": sensors.map { ["sensor": $0, "reason": "test"] },
            ])
    }

    @Test func `missing sensors are reported and not asked for, others are`()
        throws
    {
        let sandbox = try Sandbox()
        let sys = sandbox.path("sys")
        try FileManager.default.createDirectory(atPath: sys, withIntermediateDirectories: true)
        let host = try ServingHost(sandbox, ["--sys-root", sys])
        // There is no terminal for a prompt, and none is needed.
        let without = try sandbox.nervous("run", app(sandbox, ["battery", "accelerometer"]))
        #expect(without.code == 0, "\(without.errors)")
        #expect(without.output == "battery missing\naccelerometer missing\n")
        let expected =
            "sensor:battery is not granted to demo: no battery under \(sys)"
        #expect(without.errors.contains(expected), "\(without.errors)")
        let with = try sandbox.nervous("run", app(sandbox, ["battery", "cpu"]))
        #expect(with.code == 77)
        #expect(with.errors.contains("demo needs sensor:cpu, which is undecided."))
        // The sensor exists from now on and is asked for.
        let supply = "\(sys)/class/power_supply/BAT0"
        try FileManager.default.createDirectory(atPath: supply, withIntermediateDirectories: true)
        for (file, text) in ["type": "Battery", "capacity": "50", "present": "1"] {
            try (text + "\n").write(toFile: "\(supply)/\(file)", atomically: true, encoding: .utf8)
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let again = try ServingHost(sandbox, ["--sys-root", sys])
        let asked = try sandbox.nervous("run", app(sandbox, ["battery"]))
        #expect(asked.code == 77)
        #expect(asked.errors.contains("demo needs sensor:battery"))
        again.kill(SIGTERM)
    }

    @Test func `without gpsd the location is not asked for, nor steps without a sensor`()
        throws
    {
        let sandbox = try Sandbox()
        let sys = sandbox.path("sys")
        try FileManager.default.createDirectory(atPath: sys, withIntermediateDirectories: true)
        // A TCP port that cannot be listened on.
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try #"{"gpsd": {"port": 1}}"#.write(
            toFile: "\(folder)/config.json", atomically: true, encoding: .utf8)
        let host = try ServingHost(sandbox, ["--sys-root", sys])
        let run = try sandbox.nervous("run", app(sandbox, ["location", "steps"]))
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "location missing\nsteps missing\n")
        let expected = "sensor:location is not granted to demo: "
        #expect(run.errors.contains(expected + "no gpsd answers at 127.0.0.1:1"), "\(run.errors)")
        #expect(run.errors.contains("it needs accelerometer"), "\(run.errors)")
        host.kill(SIGTERM)
    }
}
