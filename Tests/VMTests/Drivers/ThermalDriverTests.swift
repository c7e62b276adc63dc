import Foundation
import Samples
import Testing

@testable import VM

struct ThermalDriverTests {
    @Test func `thousandths of a degree become degrees, and equal types are numbered`() throws {
        let tree = try FixtureTree([
            "sys/class/thermal/thermal_zone10/type": "acpitz\n",
            "sys/class/thermal/thermal_zone10/temp": "-5500\n",
            "sys/class/thermal/thermal_zone2/type": "acpitz\n",
            "sys/class/thermal/thermal_zone2/temp": "27800\n",
            "sys/class/thermal/thermal_zone0/type": "x86_pkg_temp\n",
            "sys/class/thermal/thermal_zone0/temp": "45000\n",
            "sys/class/thermal/cooling_device0/type": "Fan\n",
        ])
        let discovery = Discovery(ThermalDriver(roots: tree.roots))
        #expect(
            discovery.ids == ["thermal.x86-pkg-temp", "thermal.acpitz", "thermal.acpitz-2"])
        #expect(try discovery.values("thermal.acpitz") == ["temperature": .number(27.8)])
        #expect(try discovery.values("thermal.acpitz-2") == ["temperature": .number(-5.5)])
    }

    @Test(arguments: [
        "", "\n", "warm", "nan", "inf", "1e400", "-274000", "9223372036854775808", "27 800",
        String(repeating: "9", count: 70_000), "0x", "\u{0}27800",
    ])
    func `an impossible temperature is malformed`(text: String) throws {
        let tree = try FixtureTree(["sys/class/thermal/thermal_zone0/type": "acpitz"])
        try tree.write(text, to: "sys/class/thermal/thermal_zone0/temp")
        let reader = try Discovery(ThermalDriver(roots: tree.roots)).reader("thermal.acpitz")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `bytes that are not UTF-8 neither trap nor reach a title`() throws {
        let tree = try FixtureTree()
        let noise = Data([0xFF, 0xFE, 0x1B, 0x5B, 0x80, 0x0A])
        try tree.write(noise, to: "sys/class/thermal/thermal_zone0/type")
        try tree.write(noise, to: "sys/class/thermal/thermal_zone0/temp")
        let discovery = Discovery(ThermalDriver(roots: tree.roots))
        #expect(discovery.ids == ["thermal.unnamed"])
        #expect(try !discovery.sensor("thermal.unnamed").title.unicodeScalars.contains("\u{1B}"))
        #expect(failure(of: try discovery.reader("thermal.unnamed")) == .malformed)
    }

    @Test func `a removed zone is gone, and one that fails is unreadable`() throws {
        let tree = try FixtureTree([
            "sys/class/thermal/thermal_zone0/type": "acpitz",
            "sys/class/thermal/thermal_zone0/temp": "1000",
        ])
        let reader = try Discovery(ThermalDriver(roots: tree.roots)).reader("thermal.acpitz")
        try tree.makeUnreadable("sys/class/thermal/thermal_zone0/temp")
        #expect(failure(of: reader) == .unreadable)
        try tree.remove("sys/class/thermal/thermal_zone0")
        #expect(failure(of: reader) == .gone)
    }

    @Test func `a machine without thermal zones has an unavailable sensor`() throws {
        let tree = try FixtureTree()
        let missing = try Discovery(ThermalDriver(roots: tree.roots)).missing("thermal")
        #expect(missing.reason.hasPrefix("no thermal zone under"))
    }
}
