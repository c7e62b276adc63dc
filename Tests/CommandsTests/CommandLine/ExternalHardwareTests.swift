import Foundation
import TestSupport
import Testing

/// The bundled app for external instruments, with devices that publish as real ones do.
@Suite(.blocking)
struct ExternalHardwareTests {
    private static let folder = "\(Binary.repository)/jsapps/external-hardware"

    /// The declaration of a device, and the samples that it publishes.
    private struct Device {
        let sensor: String
        let fields: [String]
        let type: String
        /// The samples that it sends before the app runs, and while it does.
        let bodies: [String]
        /// The expected output of the app for each.
        let shown: [String]
    }

    /// The local time that an app shows of a sample, by its second.
    private static func clock(_ second: Double) -> String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        let text = Date(timeIntervalSince1970: 1_795_243_500 + second).formatted(style)
        return String(text.dropFirst(11).prefix(8))
    }

    private static let devices = [
        Device(
            sensor: "weather", fields: ["temperature:Cel", "humidity:%"],
            type: "application/json",
            bodies: [
                #"{"t":1795243510000,"temperature":21.5,"humidity":40}"#,
                #"{"t":1795243511000,"temperature":-3.25,"humidity":87.5}"#,
            ],
            shown: [
                "Weather station: \(clock(10))  temperature 21.5 Cel, humidity 40 %",
                "Weather station: \(clock(11))  temperature -3.25 Cel, humidity 87.5 %",
            ]),
        Device(
            sensor: "radiation", fields: ["rate:/min", "alarm::state"], type: "text/csv",
            bodies: [
                "t,rate,alarm\n1795243510000,18,off\n", "t,rate,alarm\n1795243512000,2400,on\n",
            ],
            shown: [
                "Geiger counter: \(clock(10))  rate 18 /min, alarm off",
                "Geiger counter: \(clock(12))  rate 2400 /min, alarm on",
            ]),
        Device(
            sensor: "accelerometer.seismograph", fields: ["velocity:um/s"],
            type: "application/x-ndjson",
            bodies: [
                "{\"t\":1795243510000,\"velocity\":0.125}\n",
                "{\"t\":1795243513000,\"velocity\":0.5}\n{\"t\":1795243514000,\"velocity\":-812}\n",
            ],
            shown: [
                "Seismograph: \(clock(10))  velocity 0.125 um/s",
                "Seismograph: \(clock(14))  velocity -812 um/s",
            ]),
    ]

    @Test func `each instrument of the app has a bundled sensor pack`() throws {
        struct Manifest: Decodable {
            struct Privilege: Decodable { let sensor: String }
            let privileges: [Privilege]
        }
        struct Pack: Decodable { let id: String }
        func decoded<T: Decodable>(_ path: String) throws -> T {
            try JSONDecoder().decode(T.self, from: Data(contentsOf: URL(filePath: path)))
        }
        let packs = "\(Binary.repository)/sensorpacks"
        let names = try FileManager.default.contentsOfDirectory(atPath: packs)
        let ids = try names.map { try (decoded("\(packs)/\($0)/sensor.json") as Pack).id }
        let manifest: Manifest = try decoded(Self.folder + "/package.json")
        for privilege in manifest.privileges {
            let kind = privilege.sensor
            #expect(ids.contains { $0 == kind || $0.hasPrefix(kind + ".") }, "\(kind)")
        }
    }

    @Test func `the app shows the only sensor of a kind under the kind's name`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        try Self.install(sandbox)
        for (device, name) in zip(Self.devices, ["weather.station", "radiation.geiger"]) {
            try Self.add(name, device.fields, sandbox)
            let file = sandbox.path("\(name).body")
            try device.bodies[0].write(toFile: file, atomically: true, encoding: .utf8)
            let answer = try sandbox.curl(
                "-H", "Authorization: Bearer \(Self.token(for: name, sandbox))",
                "-H", "Content-Type: \(device.type)", "--data-binary", "@\(file)",
                host.url("/api/v1/sensors/\(name)/samples"))
            #expect(answer.status == 201, "\(answer.body)")
        }
        let terminal = try sandbox.terminal("run", "external-hardware", "--allow-all")
        for device in Self.devices.prefix(2) { try Self.see(device.shown[0], at: terminal) }
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    /// Installs the app from its package.
    private static func install(_ sandbox: Sandbox) throws {
        let archive = sandbox.path("external-hardware.zip")
        #expect(try sandbox.nervous("pack", folder, "--output", archive).code == 0)
        #expect(try sandbox.nervous("install", archive).code == 0)
    }

    private static func add(
        _ sensor: String, _ fields: [String], _ sandbox: Sandbox
    ) throws {
        let words = ["sensors", "add", sensor] + fields.flatMap { ["--field", $0] }
        let added = try sandbox.nervous(words)
        #expect(added.code == 0, "\(added.errors)")
    }

    /// A token that may publish to one sensor and do nothing else.
    private static func token(for sensor: String, _ sandbox: Sandbox) throws -> String {
        try sandbox.nervous(
            "token", "create", "device-\(sensor.replacing(".", with: "-"))", "--allow",
            "sensor:\(sensor):write"
        ).output.trimmingCharacters(in: .newlines)
    }

    private static func publish(
        _ body: String, of device: Device, token: String, to host: ServingHost,
        _ sandbox: Sandbox
    ) throws {
        let answer = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: \(device.type)",
            "--data-binary", body, host.url("/api/v1/sensors/\(device.sensor)/samples"))
        #expect(answer.status == 201, "\(answer.body)")
    }

    /// Waits for a text; the instruments can appear in any order.
    private static func see(_ text: String, at terminal: PseudoTerminal) throws {
        if !terminal.text.contains(text) { try terminal.await(text) }
    }

    @Test func `the app shows live samples that devices publish over HTTP`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        try Self.install(sandbox)
        var tokens: [String: String] = [:]
        for device in Self.devices {
            try Self.add(device.sensor, device.fields, sandbox)
            let token = try Self.token(for: device.sensor, sandbox)
            tokens[device.sensor] = token
            try Self.publish(device.bodies[0], of: device, token: token, to: host, sandbox)
        }
        let flags = Self.devices.flatMap { ["--allow", "sensor:\($0.sensor)"] }
        let terminal = try sandbox.terminal(["run", "external-hardware"] + flags)
        for title in ["Weather station", "Geiger counter", "Seismograph"] {
            try Self.see("\(title): listening.", at: terminal)
        }
        for device in Self.devices {
            try Self.publish(
                device.bodies[1], of: device, token: tokens[device.sensor] ?? "", to: host,
                sandbox)
        }
        for device in Self.devices {
            try Self.see(device.shown[1], at: terminal)
            #expect(terminal.text.contains(device.shown[0]), "\(terminal.text)")
        }
        for device in Self.devices { #expect(!terminal.text.contains("named \(device.sensor)")) }
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        // A device may only publish.
        let read = try sandbox.curl(
            "-H", "Authorization: Bearer \(tokens["weather"] ?? "")",
            host.url("/api/v1/sensors/weather/latest"))
        #expect(read.status == 403)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test(arguments: ["--allow-all", "--allow"])
    func
        `missing sensors are reported with the command that adds them, and that command works`(
            flag: String
        ) throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        try Self.install(sandbox)
        try Self.add("radiation", ["rate:/min"], sandbox)
        let flags = flag == "--allow" ? [flag, "sensor:radiation"] : [flag]
        let words = ["run", "external-hardware", "--for", "20s"] + flags
        let terminal = try sandbox.terminal(words, columns: 200)
        try terminal.await("Geiger counter: no samples yet.")
        #expect(terminal.text.contains("Weather station: missing"))
        #expect(terminal.text.contains("Seismograph: missing"))
        #expect(!terminal.text.contains("Geiger counter: missing"))
        let commands = terminal.text.split(whereSeparator: \.isNewline)
            .filter { $0.hasPrefix("  nervous sensors add ") }
        #expect(commands.count == 3)
        terminal.type("\u{3}")
        _ = try terminal.finish()
        for command in commands {
            let words = command.split(separator: " ").dropFirst().map(String.init)
            let added = try sandbox.nervous(words)
            #expect(added.code == 0, "\(command): \(added.errors)")
        }
        let listed = try sandbox.nervous("sensors", "--json").output
        for device in Self.devices { #expect(listed.contains(#""id":"\#(device.sensor)""#)) }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `one instrument that is refused does not hide the others`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        try Self.install(sandbox)
        for device in Self.devices.prefix(2) {
            try Self.add(device.sensor, device.fields, sandbox)
            let token = try Self.token(for: device.sensor, sandbox)
            try Self.publish(device.bodies[0], of: device, token: token, to: host, sandbox)
        }
        let terminal = try sandbox.terminal(
            "run", "external-hardware", "--deny", "sensor:weather", "--allow", "sensor:radiation")
        try Self.see(Self.devices[1].shown[0], at: terminal)
        try Self.see("Weather station: not shown.", at: terminal)
        #expect(!terminal.text.contains("21.5 Cel"))
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
