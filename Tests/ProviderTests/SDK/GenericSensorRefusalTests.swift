import Auth
import JSApps
import Samples
import Testing

/// The errors of the W3C's sensor classes.
@Suite(.timeLimit(.minutes(10)))
struct GenericSensorRefusalTests {
    @Test func `missing sensors and permissions cause errors, missing sensors first`() async throws
    {
        try await ServedHost.with { host in
            let lines = try await GenericSensorTests.play(
                """
                const failed = async (sensor) => {
                  sensor.onactivate = () => say("never");
                  sensor.start();
                  const event = await heard(sensor, "error");
                  say(event instanceof SensorErrorEvent, event.error.name, sensor.activated);
                  return event.error;
                };
                say((await failed(new RelativeOrientationSensor())).message);
                const error = await failed(new Accelerometer());
                say(error.problem, error.privilege);
                say(error.fix);
                // Statistics do not permit readings.
                say((await failed(new Gyroscope())).problem);
                // Once it is allowed the same object works.
                const sensor = new Accelerometer();
                await failed(sensor);
                allow("sensor:accelerometer");
                const { onactivate } = sensor;
                sensor.onactivate = () => say("activated");
                sensor.start();
                await heard(sensor, "activate");
                // It ends when it is denied.
                deny("sensor:accelerometer");
                publish("accelerometer", { x: 1, y: 2, z: 3 });
                const { error: denial } = await heard(sensor, "error");
                say(denial.problem, sensor.activated, sensor.hasReading);
                """,
                decisions: ["sensor:accelerometer": .deny, "sensor:gyroscope": .statisticsOnly],
                on: host)
            let refused = "true NotAllowedError false"
            #expect(
                lines == [
                    "true NotReadableError false",
                    "The host has no such sensor: There is no sensor named relative-orientation."
                        + " Ask the owner.",
                    refused, "denied sensor:accelerometer",
                    "Ask the owner to allow sensor:accelerometer.",
                    refused, "statistics-only", refused, "activated", "denied false false",
                ])
            // The owner was not asked for a missing sensor.
            #expect(await host.authority.pendingRequests().isEmpty)
        }
    }

    @Test
    func `undecided sensors are requested, and a cancelled start has no effect`()
        async throws
    {
        try await ServedHost.with { host in
            async let answer: Void = host.allowFirstRequest()
            let lines = try await GenericSensorTests.play(
                """
                const gone = new Gyroscope();
                gone.onactivate = gone.onerror = () => say("never");
                gone.start();
                gone.stop();
                const sensor = new Accelerometer();
                sensor.start();
                await heard(sensor, "activate");
                say(sensor.activated);
                sensor.stop();
                """, decisions: [:], on: host)
            try await answer
            #expect(lines == ["true"])
        }
    }

    @Test(arguments: [
        ("new Sensor()", "TypeError"), ("new OrientationSensor()", "TypeError"),
        ("new (class extends Sensor {})()", "TypeError"), ("Accelerometer()", "TypeError"),
        ("new Accelerometer(5)", "TypeError"),
        ("new Accelerometer({ frequency: 'invalid' })", "TypeError"),
        ("new Accelerometer({ frequency: NaN })", "TypeError"),
        ("new Accelerometer({ frequency: -Infinity })", "TypeError"),
        ("new Accelerometer({ frequency: {} })", "TypeError"),
        ("new Accelerometer({ frequency: 0 })", "RangeError"),
        ("new Accelerometer({ frequency: -1 })", "RangeError"),
        ("new Accelerometer({ referenceFrame: 'world' })", "TypeError"),
        ("new SensorErrorEvent('error')", "TypeError"),
        ("new SensorErrorEvent('error', { error: new Error() })", "TypeError"),
        ("new BatteryManager()", "TypeError"),
        ("new (class extends Gyroscope {})({ frequency: '30' })", "made"),
        ("new Accelerometer(null)", "made"), ("new Accelerometer(undefined)", "made"),
        ("new Accelerometer({ frequency: 1e9 })", "made"),
        ("new SensorErrorEvent('error', { error: new DOMException('a', 'b') })", "made"),
    ])
    func `a sensor accepts only valid options`(made: String, outcome: String) async throws {
        try await ServedHost.with { host in
            let lines = try await host.play(
                "try { \(made); say('made'); } catch (error) { say(error.name); }")
            #expect(lines == [outcome])
        }
    }
}
