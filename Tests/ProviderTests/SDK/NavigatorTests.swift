import Auth
import JSApps
import Samples
import Testing

/// The `navigator` APIs for the host's sensors, in real runs of apps.
@Suite(.timeLimit(.minutes(10)))
struct NavigatorTests {
    private static func play(
        _ body: String, decisions: [String: Decision], on host: ServedHost
    ) async throws -> [String] {
        try await host.play(
            "(async () => {\n\(body)\n})();", privileges: #"["location", "battery", "gauge"]"#,
            decisions: decisions)
    }

    @Test func `an app gets its position and updates of it`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("location", numbers: "latitude", "longitude", "speed")
            let lines = try await Self.play(
                """
                const { geolocation } = navigator;
                publish("location", { t: Date.now() - 5000, latitude: 1, longitude: 2, speed: 3 });
                // A recent position is returned immediately.
                const { coords, timestamp } = await new Promise((resolve, reject) =>
                  geolocation.getCurrentPosition(resolve, reject, { maximumAge: 60_000 }));
                say(coords, Date.now() - timestamp < 60_000);
                say(coords.accuracy, coords.altitude, Object.isFrozen(coords));
                // Otherwise the next one.
                const seen = [];
                const watch = geolocation.watchPosition(({ coords: { latitude, longitude } }) => {
                  seen.push(latitude);
                  if (seen.length < 3) {
                    publish("location", { latitude: latitude + 1, longitude, speed: 0 });
                    return;
                  }
                  geolocation.clearWatch(watch);
                  publish("location", { latitude: 99, longitude, speed: 0 });
                  say(seen.join());
                }, (error) => say(error.message), { maximumAge: Infinity });
                """, decisions: ["sensor:location": .allowAlways], on: host)
            #expect(
                lines == [
                    #"{"latitude":1,"longitude":2,"altitude":null,"accuracy":null,"#
                        + #""altitudeAccuracy":null,"heading":null,"speed":3} true"#,
                    "null null true", "1,2,3",
                ])
        }
    }

    @Test func `values unknown to the receiver are unknown to the app`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor(
                "location",
                numbers: "latitude", "longitude", "altitude", "accuracy", "speed", "heading")
            let lines = try await Self.play(
                """
                const { geolocation } = navigator;
                publish("location", { latitude: 1, longitude: 2, altitude: -9999, accuracy: -1,
                  speed: -1, heading: -1 });
                const { coords } = await new Promise((resolve, reject) =>
                  geolocation.getCurrentPosition(resolve, reject, { maximumAge: 60_000 }));
                say(coords, coords.accuracy === Infinity);
                """, decisions: ["sensor:location": .allowAlways], on: host)
            #expect(
                lines == [
                    #"{"latitude":1,"longitude":2,"altitude":null,"accuracy":null,"#
                        + #""altitudeAccuracy":null,"heading":null,"speed":null} true"#
                ])
        }
    }

    @Test(arguments: [
        (false, [:], "2 true"), (true, ["sensor:location": Decision.deny], "1 true"),
        (true, ["sensor:location": .allowAlways], "3 true"),
    ])
    func `a missing position has an error with the reason`(
        isThere: Bool, decisions: [String: Decision], line: String
    ) async throws {
        try await ServedHost.with { host in
            if isThere {
                try await host.declareSensor("location", numbers: "latitude", "longitude")
            }
            let lines = try await Self.play(
                """
                const error = await new Promise((resolve, reject) =>
                  navigator.geolocation.getCurrentPosition(reject, resolve, { timeout: 20 }));
                say(error.code, error instanceof GeolocationPositionError);
                try { navigator.geolocation.watchPosition("x"); } catch ({ name }) { say(name); }
                """, decisions: decisions, on: host)
            #expect(lines == [line, "TypeError"])
        }
    }

    @Test func `an app gets the battery and its changes`() async throws {
        try await ServedHost.with { host in
            // The test machine has no battery; a declared one has its name.
            let lines = try await Self.play(
                """
                const battery = await navigator.getBattery();
                say(battery.charging, battery.level, battery.chargingTime, battery.dischargingTime);
                say(battery === await navigator.getBattery(), battery instanceof EventTarget);
                """, decisions: [:], on: host)
            // The values of the standard for an unknown battery.
            #expect(lines == ["true 1 0 null", "true true"])
        }
    }

    @Test func `permissions have W3C names`() async throws {
        try await ServedHost.with { host in
            for sensor in ["accelerometer", "light", "location"] {
                try await host.declareSensor(sensor, numbers: "x")
            }
            let lines = try await Self.play(
                """
                const names = ["accelerometer", "ambient-light-sensor", "geolocation", "gyroscope"];
                for (const name of names) {
                  const status = await navigator.permissions.query({ name });
                  say(status.name, status.state);
                }
                await navigator.permissions.query({ name: "camera" }).catch(({ name }) => say(name));
                say(Object.isFrozen(navigator), navigator.userAgent.startsWith("Nervous/"));
                """,
                decisions: [
                    "sensor:accelerometer": .allowAlways, "sensor:light": .deny,
                    "sensor:location": .statisticsOnly,
                ], on: host)
            #expect(
                lines == [
                    "accelerometer granted", "light denied", "location denied",
                    "gyroscope prompt", "TypeError", "true true",
                ])
        }
    }
}
