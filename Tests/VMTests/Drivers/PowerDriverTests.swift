import Samples
import TestSupport
import Testing

@testable import VM

/// The health of batteries, UPSes, the power of the processor, and backlights.
struct PowerDriverTests {
    @Test func `health is the full charge as a share of the design`() throws {
        let supply = "sys/class/power_supply"
        let tree = try FixtureTree([
            "\(supply)/BAT0/type": "Battery\n", "\(supply)/BAT0/energy_full": "45070000\n",
            "\(supply)/BAT0/energy_full_design": "47520000\n",
            "\(supply)/BAT1/type": "Battery\n", "\(supply)/BAT1/charge_full": "2100000\n",
            "\(supply)/BAT1/charge_full_design": "2000000\n",
            "\(supply)/mouse/type": "Battery\n", "\(supply)/mouse/scope": "Device\n",
        ])
        let discovery = Discovery(BatteryHealthDriver(roots: tree.roots))
        #expect(discovery.ids == ["battery-health.bat0", "battery-health.bat1"])
        #expect(
            try discovery.values("battery-health.bat0") == [
                "health": .number(100 * 45.07 / 47.52), "full": .number(45.07),
                "design": .number(47.52),
            ])
        #expect(try discovery.values("battery-health.bat1")["health"] == .number(100 * 2.1 / 2))
        #expect(try discovery.sensor("battery-health.bat1").fields.last?.unit == "A.h")
        try tree.write("0\n", to: "\(supply)/BAT0/energy_full_design")
        #expect(failure(of: try discovery.reader("battery-health.bat0")) == .malformed)
    }

    @Test func `without a design there is no health`() throws {
        let tree = try FixtureTree([
            "sys/class/power_supply/BAT0/type": "Battery\n",
            "sys/class/power_supply/BAT0/energy_full": "45070000\n",
        ])
        let missing = try Discovery(BatteryHealthDriver(roots: tree.roots))
            .missing("battery-health")
        #expect(missing.reason.hasSuffix("reports its capacity when it was new"))
    }

    @Test(arguments: [("Low", "low"), ("Full", "full"), ("Unknown", "unknown"), ("odd", "unknown")])
    func `a peripheral that only reports a word has a state`(word: String, state: String) throws {
        let mouse = "sys/class/power_supply/hidpp_battery_0"
        let tree = try FixtureTree([
            "\(mouse)/type": "Battery\n", "\(mouse)/scope": "Device\n",
            "\(mouse)/capacity_level": "\(word)\n", "\(mouse)/status": "Discharging\n",
        ])
        let discovery = Discovery(BatteryDriver(roots: tree.roots))
        #expect(
            try discovery.values("battery.hidpp-battery-0") == [
                "charge": .text(state), "state": .text("discharging"),
            ])
    }

    @Test func `a UPS has the fields of a battery and is no battery`() throws {
        let supply = "sys/class/power_supply/hid-ups"
        let tree = try FixtureTree([
            "\(supply)/type": "UPS\n", "\(supply)/capacity": "97\n", "\(supply)/status": "Full\n",
            "\(supply)/voltage_now": "27100000\n",
        ])
        let closed = ClosedPort()
        let driver = UPSDriver(roots: tree.roots, server: NUTServer(port: closed.number))
        let discovery = Discovery(driver)
        #expect(discovery.ids == ["ups.hid-ups"])
        #expect(
            try discovery.values("ups.hid-ups") == [
                "level": .number(97), "state": .text("full"), "voltage": .number(27.1),
            ])
        try tree.remove(supply)
        #expect(try Discovery(driver).missing("ups").reason.hasPrefix("no UPS under"))
        #expect(Discovery(BatteryDriver(roots: tree.roots)).ids == ["battery"])
        withExtendedLifetime(closed) {}
    }

    @Test func `power is the growth of the energy, across the end of the counter`() throws {
        let zone = "sys/class/powercap/intel-rapl:0"
        let tree = try FixtureTree([
            "\(zone)/name": "package-0\n", "\(zone)/energy_uj": "240422366267\n",
            "\(zone)/max_energy_range_uj": "262143328850\n",
            "\(zone):0/name": "core\n", "\(zone):0/energy_uj": "262143328000\n",
            "\(zone):0/max_energy_range_uj": "262143328850\n",
            "sys/class/powercap/intel-rapl/enabled": "1\n",
        ])
        let time = ManualTime()
        let discovery = Discovery(ProcessorPowerDriver(roots: tree.roots, awake: time.awake))
        #expect(
            try discovery.sensor("cpu-power").fields
                == ["package0", "package0Core"].map { Field($0, unit: "W") })
        var reader = try discovery.reader("cpu-power")
        #expect(try reader.read() == nil)
        time.advance(by: .seconds(2))
        try tree.write("240452366267\n", to: "\(zone)/energy_uj")
        try tree.write("19999150\n", to: "\(zone):0/energy_uj")
        #expect(try reader.read() == [.number(15), .number(10)])
    }

    @Test func `energy that may not be read names root and the risk`() throws {
        let zone = "sys/class/powercap/intel-rapl:0"
        let tree = try FixtureTree(["\(zone)/name": "package-0\n", "\(zone)/energy_uj": "1\n"])
        try tree.makeUnreadable("\(zone)/energy_uj")
        let missing = try Discovery(ProcessorPowerDriver(roots: tree.roots)).missing("cpu-power")
        #expect(missing.remedy?.contains("as root") == true)
        let none = try FixtureTree()
        let reason = try Discovery(ProcessorPowerDriver(roots: none.roots)).missing("cpu-power")
        #expect(reason.remedy?.contains("intel_rapl_msr") == true)
    }

    @Test func `brightness is a share of the highest, and a dark screen is off`() throws {
        let light = "sys/class/backlight/intel_backlight"
        let tree = try FixtureTree([
            "\(light)/max_brightness": "960\n", "\(light)/brightness": "240\n",
            "\(light)/bl_power": "0\n",
        ])
        let discovery = Discovery(BacklightDriver(roots: tree.roots))
        let id = "backlight.intel-backlight"
        #expect(
            try discovery.values(id) == ["brightness": .number(25), "state": .text("on")])
        try tree.write("4\n", to: "\(light)/bl_power")
        #expect(try discovery.values(id)["state"] == .text("off"))
        try tree.write("961\n", to: "\(light)/brightness")
        #expect(failure(of: try discovery.reader(id)) == .malformed)
        let none = try FixtureTree()
        let missing = try Discovery(BacklightDriver(roots: none.roots)).missing("backlight")
        #expect(missing.remedy != nil)
    }
}
