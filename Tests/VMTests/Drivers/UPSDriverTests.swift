import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

/// The uninterruptible power supplies of the kernel and of a real NUT server.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(
        if: FileManager.default.fileExists(atPath: RealNUT.server), "nut-server is not installed"))
struct UPSDriverTests {
    private static let healthy = """
        ups.status: OL CHRG
        battery.charge: 90
        battery.runtime: 1200
        battery.voltage: 27.1
        ups.load: 23
        input.voltage: 230.4
        """

    private func roots() throws -> FixtureTree {
        try FixtureTree(["sys/class/power_supply/AC/type": "Mains\n"])
    }

    @Test func `a unit of NUT has the variables that it reports`() async throws {
        let nut = try RealNUT(["serverroom": ("Rack \"A\" \u{1B}[31m", Self.healthy)])
        let tree = try roots()
        let driver = UPSDriver(roots: tree.roots, server: nut.address)
        try await until { Discovery(driver).found.first?.isUnavailable == false }
        let discovery = Discovery(driver)
        #expect(discovery.ids == ["ups.serverroom"])
        let sensor = try discovery.sensor("ups.serverroom")
        #expect(sensor.title == "Uninterruptible power supply Rack \"A\" [31m")
        #expect(
            try discovery.values("ups.serverroom") == [
                "level": .number(90), "state": .text("charging"), "supply": .text("mains"),
                "voltage": .number(27.1), "runtime": .number(1200), "load": .number(23),
                "inputVoltage": .number(230.4),
            ])
    }

    @Test(arguments: [
        ("OL", "100", "full", "mains"), ("OL", "97", "not-charging", "mains"),
        ("OB DISCHRG", "80", "discharging", "battery"),
        ("OB LB", "9", "discharging", "battery-low"), ("OL BYPASS", "80", "not-charging", "bypass"),
        ("OFF", "80", "unknown", "off"), ("FSD", "0", "unknown", "unknown"),
    ])
    func `states are named`(
        status: String, charge: String, state: String, supply: String
    ) async throws {
        let nut = try RealNUT(
            ["a": ("", "ups.status: \(status)\nbattery.charge: \(charge)\n")])
        let tree = try roots()
        let driver = UPSDriver(roots: tree.roots, server: nut.address)
        try await until { Discovery(driver).found.first?.isUnavailable == false }
        let values = try Discovery(driver).values("ups.a")
        #expect(values["state"] == .text(state))
        #expect(values["supply"] == .text(supply))
    }

    @Test func `a unit without a driver is unavailable, and others are not affected`() async throws
    {
        let nut = try RealNUT(["a": ("", Self.healthy), "dead": ("", nil)])
        let tree = try roots()
        let driver = UPSDriver(roots: tree.roots, server: nut.address)
        try await until { Discovery(driver).found.contains { !$0.isUnavailable } }
        let missing = try Discovery(driver).missing("ups.dead")
        #expect(missing.reason.contains("ERR DRIVER-NOT-CONNECTED"))
        _ = try Discovery(driver).values("ups.a")
    }

    @Test func `without a server the sensor is unavailable, and while it is away reading fails`()
        async throws
    {
        let tree = try roots()
        let reader = try await {
            let nut = try RealNUT(["a": ("", Self.healthy)])
            let driver = UPSDriver(roots: tree.roots, server: nut.address)
            try await until { Discovery(driver).found.first?.isUnavailable == false }
            return try Discovery(driver).reader("ups.a")
        }()
        var gone = reader
        #expect(throws: SensorError.self) { _ = try gone.read() }
        let closed = ClosedPort()
        let missing = try Discovery(
            UPSDriver(roots: tree.roots, server: NUTServer(port: closed.number))
        ).missing("ups")
        #expect(missing.reason.hasSuffix("no NUT server answers at 127.0.0.1:\(closed.number)"))
        #expect(missing.remedy?.contains("nut-server") == true)
        withExtendedLifetime(closed) {}
    }

    @Test func `words in quotation marks have spaces and escapes`() {
        #expect(NUTServer.words(#"a "b \"c\" \\d" e"#) == ["a", #"b "c" \d"#, "e"])
        #expect(NUTServer.words(#"a """#) == ["a", ""])
        #expect(NUTServer.words("") == [])
    }
}

/// A private NUT server with simulated units; ended when this object is released.
private final class RealNUT {
    static let server = "/lib/nut/upsd"
    private static let driver = "/lib/nut/dummy-ups"

    let address: NUTServer
    private let folder: URL
    private let reservedPort = ClosedPort(allowsReuse: true)
    private var programs: [Program] = []

    /// - Parameter units: the description and the variables of each; without variables, its driver does not run.
    init(_ units: [String: (title: String, variables: String?)]) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "nut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        address = NUTServer(port: reservedPort.number, timeout: Program.patience)
        var sections = ""
        for (name, unit) in units {
            let file = folder.appending(path: "\(name).dev")
            try (unit.variables ?? "").write(to: file, atomically: true, encoding: .utf8)
            let title = unit.title.replacing("\"", with: "\\\"")
            sections += "[\(name)]\ndriver = dummy-ups\nport = \(file.path)\ndesc = \"\(title)\"\n"
        }
        for (name, text) in [
            ("ups.conf", sections), ("upsd.conf", "LISTEN 127.0.0.1 \(reservedPort.number)\n"),
            ("upsd.users", ""), ("nut.conf", "MODE=standalone\n"),
        ] {
            try text.write(
                to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let environment = [
            "NUT_CONFPATH": folder.path, "NUT_STATEPATH": folder.path,
            "NUT_ALTPIDPATH": folder.path,
        ]
        let user = NSUserName()
        for (name, unit) in units where unit.variables != nil {
            // With -D it stays in the foreground.
            programs.append(
                try Program(Self.driver, ["-a", name, "-u", user, "-D"], environment: environment))
        }
        programs.append(try Program(Self.server, ["-F", "-u", user], environment: environment))
    }

    deinit {
        programs.removeAll()
        try? FileManager.default.removeItem(at: folder)
    }
}
