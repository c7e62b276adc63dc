import Samples
import Testing

@testable import VM

struct PowerSupplyDriverTests {
    /// The attribute files of one supply.
    private func supply(_ name: String, _ files: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: files.map { ("sys/class/power_supply/\(name)/\($0)", $1) })
    }

    private func tree(_ supplies: [String: String]...) throws -> FixtureTree {
        try FixtureTree(supplies.reduce([:]) { $0.merging($1) { first, _ in first } })
    }

    @Test func `the only battery has level, state, voltage and power`() throws {
        let tree = try tree(
            supply(
                "BAT0",
                [
                    "type": "Battery\n", "capacity": "87\n", "status": "Discharging\n",
                    "voltage_now": "11400000", "power_now": "-7600000", "temp": "305",
                    "cycle_count": "212", "present": "1",
                ]))
        let discovery = Discovery(BatteryDriver(roots: tree.roots))
        #expect(discovery.ids == ["battery"])
        #expect(
            try discovery.values("battery") == [
                "level": .number(87), "state": .text("discharging"), "voltage": .number(11.4),
                "power": .number(7.6), "temperature": .number(30.5), "cycles": .integer(212),
            ])
    }

    @Test func `level is computed from energy or charge, power from current and voltage`() throws {
        let tree = try tree(
            supply(
                "BAT0",
                [
                    "type": "Battery", "energy_now": "20000000", "energy_full": "50000000",
                    "current_now": "-2000000", "voltage_now": "12000000",
                ]),
            supply(
                "BAT1",
                ["type": "Battery", "charge_now": "5100", "charge_full": "5000", "status": "Full"]))
        let discovery = Discovery(BatteryDriver(roots: tree.roots))
        #expect(discovery.ids == ["battery.bat0", "battery.bat1"])
        #expect(
            try discovery.values("battery.bat0") == [
                "level": .number(40), "state": .text("unknown"), "voltage": .number(12),
                "power": .number(24),
            ])
        #expect(
            try discovery.values("battery.bat1") == [
                "level": .number(100), "state": .text("full"),
            ])
    }

    @Test(arguments: [
        ("Charging", "charging"), ("Discharging", "discharging"), ("Not charging", "not-charging"),
        ("Full", "full"), ("Unknown", "unknown"), ("", "unknown"), ("\u{1B}[2J", "unknown"),
    ])
    func `states have fixed names`(status: String, state: String) throws {
        let tree = try tree(
            supply("BAT0", ["type": "Battery", "capacity": "1", "status": status]))
        let values = try Discovery(BatteryDriver(roots: tree.roots)).values("battery")
        #expect(values["state"] == .text(state))
    }

    @Test
    func `a missing battery is unavailable, with the path that was checked`()
        throws
    {
        let missing = try Discovery(BatteryDriver(roots: try tree().roots)).missing("battery")
        #expect(missing.reason.hasPrefix("no battery under "))
    }

    @Test func `the battery of a mouse is an instance and not that of the machine`() throws {
        let mouse = supply(
            "hid-aa:bb:cc-battery",
            ["type": "Battery", "scope": "Device", "capacity": "55", "model_name": "Mouse\u{7}"])
        let tree = try tree(mouse)
        let discovery = Discovery(BatteryDriver(roots: tree.roots))
        #expect(discovery.ids == ["battery", "battery.hid-aa-bb-cc-battery"])
        #expect(try discovery.missing("battery").reason.hasPrefix("no battery under"))
        let title = try discovery.sensor("battery.hid-aa-bb-cc-battery").title
        #expect(title == "Battery of Mouse")
    }

    @Test func `an empty slot and a battery without values are unavailable`() throws {
        let empty = try tree(
            supply("BAT1", ["type": "Battery", "present": "0", "capacity": "0"]))
        #expect(Discovery(BatteryDriver(roots: empty.roots)).ids == ["battery"])
        let silent = try tree(supply("BAT0", ["type": "Battery", "status": "Full"]))
        let missing = try Discovery(BatteryDriver(roots: silent.roots)).missing("battery")
        #expect(missing.reason.hasSuffix("has no file with the charge of the battery"))
    }

    @Test(arguments: ["101", "-1", "", "full", "nan"])
    func `an impossible level is malformed`(capacity: String) throws {
        let tree = try tree(supply("BAT0", ["type": "Battery", "capacity": capacity]))
        let reader = try Discovery(BatteryDriver(roots: tree.roots)).reader("battery")
        #expect(failure(of: reader) == .malformed)
    }

    @Test(arguments: [("1", "0"), ("-1", "5"), ("0", "-5")])
    func `an impossible ratio is malformed`(now: String, full: String) throws {
        let tree = try tree(
            supply("BAT0", ["type": "Battery", "energy_now": now, "energy_full": full]))
        let reader = try Discovery(BatteryDriver(roots: tree.roots)).reader("battery")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `a removed battery is gone`() throws {
        let tree = try tree(supply("BAT0", ["type": "Battery", "capacity": "5"]))
        let reader = try Discovery(BatteryDriver(roots: tree.roots)).reader("battery")
        try tree.remove("sys/class/power_supply/BAT0")
        #expect(failure(of: reader) == .gone)
    }

    @Test(arguments: [("0", "offline"), ("1", "online"), ("2", "online")])
    func `mains and USB are online or offline`(online: String, state: String) throws {
        let tree = try tree(
            supply("AC", ["type": "Mains", "online": online]),
            supply("ucsi-source-psy-USBC000:001", ["type": "USB", "online": online]),
            supply("BAT0", ["type": "Battery", "capacity": "5"]))
        let discovery = Discovery(ExternalPowerDriver(roots: tree.roots))
        #expect(discovery.ids == ["power.ac", "power.ucsi-source-psy-usbc000-001"])
        #expect(try discovery.values("power.ac") == ["state": .text(state)])
    }

    @Test func `a missing or unreadable supply is unavailable`() throws {
        let none = try Discovery(ExternalPowerDriver(roots: try tree().roots)).missing("power")
        #expect(none.reason.hasPrefix("no mains or USB supply under"))
        let odd = try tree(supply("AC", ["type": "Mains", "online": "7"]))
        let missing = try Discovery(ExternalPowerDriver(roots: odd.roots)).missing("power.ac")
        #expect(missing.reason.hasSuffix("is neither online nor offline"))
    }
}
