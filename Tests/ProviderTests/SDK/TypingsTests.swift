import AppRuns
import Auth
import Foundation
import Resources
import TestSupport
import Testing

@testable import Provider

/// Compares the typings with the SDK.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct TypingsTests {
    @Test func `a program that uses the whole API compiles in strict mode`() throws {
        let compiler = try TypeScript()
        defer { compiler.remove() }
        #expect(try compiler.faults("right.ts").isEmpty)
    }

    @Test func `each invalid use is an error at its position`() throws {
        let compiler = try TypeScript()
        defer { compiler.remove() }
        let expected = try TypeScript.lines("wrong.ts").enumerated().compactMap { number, line in
            line.firstMatch(of: /; \/\/ (TS[0-9]+)$/).map {
                TypeScript.Fault(line: number + 1, code: String($0.1))
            }
        }
        let found = try compiler.faults("wrong.ts")
        #expect(expected.count > 45)
        #expect(Set(found).subtracting(expected).isEmpty, "not expected")
        #expect(Set(expected).subtracting(found).isEmpty, "not found")
    }

    @Test(arguments: [("tests.right.ts", 0), ("tests.wrong.ts", 9)])
    func `the globals of tests have types`(file: String, count: Int) throws {
        let compiler = try TypeScript()
        defer { compiler.remove() }
        let expected = try TypeScript.lines(file).enumerated().compactMap { number, line in
            line.firstMatch(of: /; \/\/ (TS[0-9]+)$/).map {
                TypeScript.Fault(line: number + 1, code: String($0.1))
            }
        }
        #expect(expected.count == count)
        #expect(Set(try compiler.faults(file)) == Set(expected))
    }

    @Test func `the typed globals of tests are those of the test library, with their members`()
        throws
    {
        let typings = try #require(AppTemplate.files.first { $0.name == "nervous-test.d.ts" })
        let text = typings.content.text
        let library = ProviderFiles.testJS.text
        let names = text.matches(of: /(?m)^declare const ([a-z]+):/).map { String($0.1) }
        #expect(
            names.sorted() == [
                "app", "assert", "clock", "health", "permissions", "sensors", "test",
            ])
        #expect(
            library.contains(
                "Object.assign(globalThis, "
                    + "{ test, assert, app, sensors, clock, permissions, health })"))
        for member in text.matches(of: /(?m)^  ([a-zA-Z]+)\(/).map(\.1) {
            #expect(library.contains(try Regex("[^a-zA-Z]\(member)(\\(|:| =)")), "\(member)")
        }
    }

    /// Prints the names of the global object, and those of the members of each type of the SDK.
    private static let script = """
        const shared = [Object, EventTarget, Event].flatMap(({ prototype }) =>
          Object.getOwnPropertyNames(prototype));
        const names = (object) => {
          const found = [];
          for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
            found.push(...Object.getOwnPropertyNames(at));
          }
          return [...new Set(found)].filter((name) => !shared.includes(name));
        };
        const types = ["Sensor", "SensorErrorEvent", "Accelerometer", "LinearAccelerationSensor",
          "GravitySensor", "Gyroscope", "Magnetometer", "UncalibratedMagnetometer",
          "AmbientLightSensor", "OrientationSensor", "AbsoluteOrientationSensor",
          "RelativeOrientationSensor", "BatteryManager"];
        (async () => {
          const found = { globals: Object.getOwnPropertyNames(globalThis), Navigator: names(navigator) };
          if (globalThis.nervous !== undefined) {
            found["Nervous.SDK"] = names(nervous);
            found["Nervous.Permissions"] = names(nervous.permissions);
            found["Nervous.Net"] = names(nervous.net);
            found["Nervous.Sessions"] = names(nervous.sessions);
            found["Nervous.Health"] = names(nervous.health);
            found["Nervous.AppStorage"] = names(nervous.storage);
            found["Nervous.SensorReference"] = names(nervous.sensor("gauge"));
            const status = await nervous.permissions.query({ name: "gauge" });
            // Events have a member of this name, too.
            const type = Object.hasOwn(Object.getPrototypeOf(status), "type") ? ["type"] : [];
            found["Nervous.PermissionStatus"] = [...names(status), ...type];
            for (const type of types) found[type] = names(globalThis[type].prototype);
          }
          console.log(JSON.stringify(found));
        })();
        """

    private static func found(_ prelude: [RunScript]) async throws -> [String: Set<String>] {
        try await ServedHost.with(prelude: prelude) { host in
            let line = try #require(try await host.play(script).first)
            return try JSONDecoder().decode([String: Set<String>].self, from: Data(line.utf8))
        }
    }

    @Test func `the typings and the SDK have the same names`()
        async throws
    {
        let compiler = try TypeScript()
        defer { compiler.remove() }
        let typed = try compiler.names()
        let (without, with) = (try await Self.found([]), try await Self.found(Provider.prelude))
        var added = with
        for name in ["globals", "Navigator"] {
            added[name]?.subtract(try #require(without[name]))
        }
        // These are in the typings of the DOM, or in `libs.js`.
        added["globals"]?.remove("GeolocationPositionError")
        added["Navigator"]?.subtract(["geolocation", "permissions"])
        let published: Set<String> = ["App", "Nervous", "Navigator"]
        for (type, names) in added {
            // A sensor adds its events to the listener; the method itself is that of every target.
            let expected = try #require(typed[type], "\(type)").subtracting(["addEventListener"])
            let known = type == "globals" ? expected.subtracting(published) : expected
            #expect(names == known, "\(type): \(names.symmetricDifference(known).sorted())")
        }
        #expect(added.count == 23)
    }

    @Test func `the typings of the charts and the module have the same names`() throws {
        let compiler = try TypeScript()
        defer { compiler.remove() }
        let typed = try compiler.names()
        let source = String(decoding: try #require(DashboardFile.charts).content, as: UTF8.self)
        let exports = source.matches(of: /(?m)^export (?:class|function|const) (\w+)/)
        #expect(Set(exports.map { String($0.1) }) == typed["*/lib/charts.js"])
        for name in ["Chart", "ChartGroup", "Points"] {
            let start = try #require(source.range(of: "\nexport class \(name) {\n")).upperBound
            let body = source[start...].prefix(
                upTo: try #require(
                    source[start...].range(of: "\n}\n")
                ).lowerBound)
            for member in try #require(typed[name]) {
                let isThere =
                    body.contains("\n  \(member)(") || body.contains("\n  get \(member)()")
                    || body.contains(" \(member) = ")
                    || body.contains("this.\(member) = ")
                #expect(isThere, "\(name).\(member)")
            }
        }
    }

    @Test(arguments: ["/nervous.d.ts", "/_host/nervous.d.ts"])
    func `the typings are served with the SDK`(path: String) async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await host.send(
                Call("GET", path, host: "my-app.localhost:\(host.port)"))
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.body == SDK.typings)
        }
    }
}
