import Auth
import JSApps
import Samples
import Testing

/// The W3C's sensor classes in real runs of apps, based on the Web Platform Tests.
@Suite(.timeLimit(.minutes(10)))
struct GenericSensorTests {
    private static let everything = """
        ["accelerometer", "gyroscope", "magnetometer", "light", "absolute-orientation",
         "relative-orientation", "battery", "location"]
        """

    /// Waits for an event, and fails at an error.
    private static let prologue = """
        const heard = (target, type) => new Promise((resolve, reject) => {
          target.addEventListener(type, resolve, { once: true });
          if (type !== "error") target.addEventListener("error", ({ error }) => reject(error), { once: true });
        });

        """

    /// Runs the body of an async function with the sensors of a tablet, all granted.
    static func play(
        _ body: String, decisions: [String: Decision]? = nil, on host: ServedHost
    ) async throws -> [String] {
        for sensor in ["accelerometer", "gyroscope", "magnetometer"] {
            try await host.declareSensor(sensor, numbers: "x", "y", "z")
        }
        try await host.declareSensor("light", numbers: "illuminance")
        try await host.declareSensor("absolute-orientation", numbers: "x", "y", "z", "w")
        let granted = [
            "accelerometer", "gyroscope", "magnetometer", "light", "absolute-orientation",
        ]
        return try await host.play(
            prologue + "(async () => {\n\(body)\n})();", privileges: everything,
            decisions: decisions
                ?? Dictionary(
                    uniqueKeysWithValues: granted.map { ("sensor:\($0)", .allowAlways) }))
    }

    @Test(arguments: [
        ("Accelerometer", "accelerometer", #"{"x":1,"y":-2,"z":9.5}"#, "x y z"),
        ("GravitySensor", "accelerometer", #"{"x":1,"y":-2,"z":9.5}"#, "x y z"),
        ("Gyroscope", "gyroscope", #"{"x":1,"y":-2,"z":9.5}"#, "x y z"),
        ("Magnetometer", "magnetometer", #"{"x":1,"y":-2,"z":9.5}"#, "x y z"),
        (
            "UncalibratedMagnetometer", "magnetometer", #"{"x":1,"y":-2,"z":9.5}"#,
            "x y z xBias yBias zBias"
        ),
        ("AmbientLightSensor", "light", #"{"illuminance":120.5}"#, "illuminance"),
    ])
    func `a sensor starts, provides readings and stops`(
        type: String, sensor: String, sample: String, members: String
    ) async throws {
        try await ServedHost.with { host in
            let lines = try await Self.play(
                """
                const members = "\(members)".split(" ");
                const sensor = new \(type)({ frequency: 60 });
                const shown = () => members.map((name) => sensor[name]).join(" ");
                say(sensor instanceof Sensor, sensor instanceof EventTarget, `${sensor}`);
                say(sensor.activated, sensor.hasReading, sensor.timestamp, shown().trim());
                const activated = heard(sensor, "activate");
                say(sensor.start(), sensor.activated);
                sensor.start();
                const { type } = await activated;
                say(type, sensor.activated, sensor.hasReading);
                const before = performance.now();
                publish("\(sensor)", { ...\(sample), t: performance.timeOrigin + before });
                await heard(sensor, "reading");
                say(sensor.hasReading, Math.abs(sensor.timestamp - before) < 1, shown());
                say(sensor.stop(), sensor.activated, sensor.hasReading, sensor.timestamp);
                sensor.stop();
                say(shown().trim() === "");
                """, on: host)
            let values = sample.matches(of: /:(-?[0-9.]+)/).map { String($0.1) }
            let shown = values + (members.contains("Bias") ? ["0", "0", "0"] : [])
            #expect(
                lines == [
                    "true true [object \(type)]", "false false null ", "undefined false",
                    "activate true false", "true true \(shown.joined(separator: " "))",
                    "undefined false false null", "true",
                ])
        }
    }

    @Test func `two sensors of one kind have separate readings, and restarting resets them`()
        async throws
    {
        try await ServedHost.with { host in
            let lines = try await Self.play(
                """
                const [one, other] = [new Gyroscope(), new Gyroscope()];
                const readings = [];
                one.onreading = function () { readings.push(`one ${this.x}`); };
                other.onreading = () => readings.push(`other ${other.x}`);
                one.start();
                other.start();
                await Promise.all([heard(one, "activate"), heard(other, "activate")]);
                publish("gyroscope", { x: 1, y: 0, z: 0 });
                await heard(other, "reading");
                one.stop();
                say(one.x, other.x);
                publish("gyroscope", { x: 2, y: 0, z: 0 });
                await heard(other, "reading");
                one.start();
                await heard(one, "activate");
                say(one.x, other.x);
                publish("gyroscope", { x: 3, y: 0, z: 0 });
                await heard(one, "reading");
                say(one.x);
                one.onreading = null;
                one.stop();
                other.stop();
                say(readings.join());
                """, on: host)
            #expect(lines == ["null 1", "null 2", "3", "one 1,other 1,other 2,other 3,one 3"])
        }
    }

    @Test func `a frequency limits the readings, and terms of the grant limit them further`()
        async throws
    {
        try await ServedHost.with { host in
            let lines = try await Self.play(
                """
                const [all, few] = [new Accelerometer(), new Accelerometer({ frequency: 2 })];
                const seen = { all: [], few: [] };
                all.onreading = () => seen.all.push(all.x);
                few.onreading = () => seen.few.push(few.x);
                all.start();
                few.start();
                await Promise.all([heard(all, "activate"), heard(few, "activate")]);
                // A little early for 2 Hz, twice; a clock that was set back.
                const times = [0, 100, 480, 500, 999, 1000, 1400, 10, 400, 509];
                times.forEach((t, x) => publish("accelerometer", { t: 1e12 + t, x, y: 0, z: 0 }));
                while (seen.all.length < times.length) await heard(all, "reading");
                all.stop();
                few.stop();
                say(seen.all.join(), seen.few.join());
                """, on: host)
            #expect(lines == ["0,1,2,3,4,5,6,7,8,9 0,2,4,7,9"])
        }
    }

    @Test func `gravity and linear acceleration sum up to the measured acceleration`() async throws
    {
        try await ServedHost.with { host in
            let lines = try await Self.play(
                """
                const [whole, low, high] =
                  [new Accelerometer(), new GravitySensor(), new LinearAccelerationSensor()];
                for (const sensor of [whole, low, high]) sensor.start();
                await Promise.all([whole, low, high].map((sensor) => heard(sensor, "activate")));
                let isWhole = true;
                // Two seconds at rest, and a push of half a second along x.
                for (let step = 0; step < 25; step++) {
                  const x = step < 20 ? 0 : 4;
                  publish("accelerometer", { t: 1e12 + step * 100, x, y: 0, z: 9.81 });
                  await heard(high, "reading");
                  for (const axis of ["x", "y", "z"]) {
                    isWhole &&= Math.abs(low[axis] + high[axis] - whole[axis]) < 1e-12;
                  }
                  if (step === 0) say(low.z, high.z);
                  if (step === 20) say(high.x > 3, low.x < 1);
                }
                // Five steps of 100 ms keep (500 / 600)⁵ of it.
                say(isWhole, (high.x / 4).toFixed(4), ((5 / 6) ** 5).toFixed(4), low.z.toFixed(2));
                for (const sensor of [whole, low, high]) sensor.stop();
                """, on: host)
            #expect(lines == ["9.81 0", "true true", "true 0.4019 0.4019 9.81"])
        }
    }

    @Test func `an orientation is a quaternion and a matrix`() async throws {
        try await ServedHost.with { host in
            let lines = try await Self.play(
                """
                const sensor = new AbsoluteOrientationSensor({ referenceFrame: "screen" });
                const matrix = new Float64Array(16);
                const report = (body) => { try { body(); } catch (error) { say(error.name); } };
                report(() => sensor.populateMatrix(matrix));
                report(() => sensor.populateMatrix(new Float32Array(15)));
                report(() => sensor.populateMatrix([]));
                say(sensor.quaternion);
                sensor.start();
                await heard(sensor, "activate");
                // A quarter turn about z.
                publish("absolute-orientation", { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 });
                await heard(sensor, "reading");
                say(sensor.quaternion === sensor.quaternion, Object.isFrozen(sensor.quaternion));
                say(sensor.quaternion.map((number) => number.toFixed(3)).join());
                sensor.populateMatrix(matrix);
                say([...matrix].map((number) => Math.round(number) + 0).join());
                sensor.stop();
                """, on: host)
            #expect(
                lines == [
                    "NotReadableError", "TypeError", "TypeError", "null", "true true",
                    "0.000,0.000,0.707,0.707", "0,-1,0,0,1,0,0,0,0,0,1,0,0,0,0,1",
                ])
        }
    }
}
