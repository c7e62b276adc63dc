import Samples
import Testing

@testable import VM

struct HardwareMonitorDriverTests {
    /// The attribute files of one chip.
    private func chip(_ number: Int, _ files: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: files.map { ("sys/class/hwmon/hwmon\(number)/\($0)", $1) })
    }

    @Test func `each input becomes a field in its unit`() throws {
        let tree = try FixtureTree(
            chip(
                0,
                [
                    "name": "nct6775\n", "temp1_input": "41500\n", "temp1_label": "CPU Package\n",
                    "temp1_max": "90000", "fan2_input": "1200", "in0_input": "1056",
                    "in0_label": "+3.3V", "curr1_input": "2500", "power1_input": "15250000",
                    "humidity1_input": "40250", "intrusion0_alarm": "0", "temp10_input": "-1000",
                    "temp2_input": "0",
                ]))
        let discovery = Discovery(HardwareMonitorDriver(roots: tree.roots))
        #expect(discovery.ids == ["hwmon.nct6775"])
        let fields = try discovery.sensor("hwmon.nct6775").fields
        #expect(
            fields.map { "\($0.name) \($0.unit ?? "")" } == [
                "cpuPackage Cel", "temp2 Cel", "temp10 Cel", "fan2 /min", "in0 V", "curr1 A",
                "power1 W", "humidity1 %",
            ])
        #expect(
            try discovery.values("hwmon.nct6775") == [
                "cpuPackage": .number(41.5), "temp2": .number(0), "temp10": .number(-1),
                "fan2": .number(1200), "in0": .number(1.056), "curr1": .number(2.5),
                "power1": .number(15.25), "humidity1": .number(40.25),
            ])
    }

    @Test func `field names are unique for any labels`() throws {
        let tree = try FixtureTree(
            chip(
                0,
                [
                    "name": "odd", "temp1_input": "1", "temp1_label": "CPU",
                    "temp2_input": "2", "temp2_label": "cpu", "temp3_input": "3",
                    "temp3_label": "temp4", "temp4_input": "4", "temp5_input": "5",
                    "temp5_label": "\u{202E}\u{1B}[31m", "temp6_input": "6", "temp6_label": "日本",
                ]))
        let fields = try Discovery(HardwareMonitorDriver(roots: tree.roots)).sensor("hwmon.odd")
            .fields
        #expect(
            fields.map(\.name) == ["cpu", "temp2", "temp4", "temp4Number2", "temp5", "temp6"])
    }

    @Test func `chips of the same name are numbered, and chips without inputs are omitted`() throws
    {
        let chips = [
            chip(0, ["name": "nvme", "temp1_input": "1000"]),
            chip(1, ["name": "nvme", "temp1_input": "2000"]),
            chip(2, ["name": "AC"]), chip(3, ["power1_average": "3000000"]),
        ]
        let tree = try FixtureTree(chips.reduce([:]) { $0.merging($1) { first, _ in first } })
        let discovery = Discovery(HardwareMonitorDriver(roots: tree.roots))
        #expect(discovery.ids == ["hwmon.nvme", "hwmon.nvme-2", "hwmon.hwmon3"])
        #expect(try discovery.values("hwmon.nvme-2") == ["temp1": .number(2)])
        #expect(try discovery.values("hwmon.hwmon3") == ["power1": .number(3)])
    }

    @Test func `unconnected inputs are omitted, failing ones are not`() throws {
        let tree = try FixtureTree(
            chip(0, ["name": "thinkpad", "temp1_input": "1000", "temp2_input": ""]))
        try tree.makeDangling("sys/class/hwmon/hwmon0/temp3_input")
        let sensor = try Discovery(HardwareMonitorDriver(roots: tree.roots))
            .sensor("hwmon.thinkpad")
        #expect(sensor.fields.map(\.name) == ["temp1", "temp2"])
    }

    @Test func `one input that fails drops the sample`() throws {
        let tree = try FixtureTree(
            chip(0, ["name": "x", "temp1_input": "1000", "fan1_input": "7"]))
        let reader = try Discovery(HardwareMonitorDriver(roots: tree.roots)).reader("hwmon.x")
        try tree.makeUnreadable("sys/class/hwmon/hwmon0/fan1_input")
        #expect(failure(of: reader) == .unreadable)
        try tree.remove("sys/class/hwmon/hwmon0")
        #expect(failure(of: reader) == .gone)
    }

    @Test func `attributes of older drivers are in the folder of the device`() throws {
        // As with applesmc: the chip itself has only its links.
        let old = chip(
            0,
            [
                "uevent": "", "device/name": "applesmc\n", "device/fan1_input": "0\n",
                "device/fan1_label": "Left side  \n", "device/fan2_input": "1998\n",
                "device/temp1_input": "39500\n",
            ])
        // A chip of the newer style whose device has attributes of its own.
        let new = chip(
            1, ["name": "nvme", "temp1_input": "1000", "device/temp7_input": "7000"])
        let tree = try FixtureTree(old.merging(new) { first, _ in first })
        let discovery = Discovery(HardwareMonitorDriver(roots: tree.roots))
        #expect(discovery.ids == ["hwmon.applesmc", "hwmon.nvme"])
        #expect(
            try discovery.values("hwmon.applesmc") == [
                "temp1": .number(39.5), "leftSide": .number(0), "fan2": .number(1998),
            ])
        #expect(try discovery.values("hwmon.nvme") == ["temp1": .number(1)])
    }

    @Test func `a temperature with a fault is a problem and not zero degrees`() throws {
        let tree = try FixtureTree(
            chip(0, ["name": "x", "temp1_input": "0", "temp1_fault": "0", "fan1_input": "7"]))
        let discovery = Discovery(HardwareMonitorDriver(roots: tree.roots))
        #expect(try discovery.values("hwmon.x") == ["temp1": .number(0), "fan1": .number(7)])
        let reader = try discovery.reader("hwmon.x")
        try tree.write("1\n", to: "sys/class/hwmon/hwmon0/temp1_fault")
        #expect(failure(of: reader) == .malformed)
        // An input that is faulty from the start does not take the others with it.
        let later = Discovery(HardwareMonitorDriver(roots: tree.roots))
        #expect(try later.values("hwmon.x") == ["fan1": .number(7)])
    }

    @Test(arguments: [
        "temp_input", "temp-1_input", "temp+1_input", "temp99999999999999999999_input",
    ])
    func `file names that only resemble inputs are skipped`(name: String) throws {
        let tree = try FixtureTree(chip(0, ["name": "x", name: "1000"]))
        let missing = try Discovery(HardwareMonitorDriver(roots: tree.roots)).missing("hwmon")
        #expect(missing.remedy?.contains("sensors-detect") == true)
    }
}
