import Samples
import TestSupport
import Testing

@testable import VM

/// The sensors of `/proc/stat`, `/proc/uptime` and cpufreq.
struct KernelDriverTests {
    private static let before = """
        cpu  100 0 50 800 50 0 0 0 40 0
        cpu0 100 0 50 800 50 0 0 0 40 0
        intr 1000 6 7
        ctxt 5000
        btime 1418183276
        processes 300
        procs_running 2
        procs_blocked 1
        softirq 700 250 20
        """
    private static let after = """
        cpu  130 5 60 830 60 5 5 5 60 0
        cpu0 130 5 60 830 60 5 5 5 60 0
        intr 1500 6 7
        ctxt 6000
        btime 1418183276
        processes 310
        procs_running 4
        procs_blocked 0
        softirq 720 250 20
        """

    @Test func `the modes of the processor add up to the time between two reads`() throws {
        let tree = try FixtureTree(["proc/stat": Self.before])
        let discovery = Discovery(CPUModesDriver(roots: tree.roots))
        var reader = try discovery.reader("cpu-modes")
        #expect(try reader.read() == nil)
        #expect(try reader.read() == nil)
        try tree.write(Self.after, to: "proc/stat")
        let values = try discovery.named("cpu-modes", try #require(try reader.read()))
        #expect(
            values == [
                "user": .number(100 * 30 / 100.0), "nice": .number(5), "system": .number(10),
                "idle": .number(30), "iowait": .number(10), "irq": .number(5),
                "softirq": .number(5), "steal": .number(5), "guest": .number(20),
                "guestNice": .number(0),
            ])
    }

    @Test func `modes that an old kernel does not count are zero, and a lower iowait is no time`()
        throws
    {
        let tree = try FixtureTree(["proc/stat": "cpu 10 0 0 100\n"])
        var reader = try Discovery(CPUModesDriver(roots: tree.roots)).reader("cpu-modes")
        _ = try reader.read()
        try tree.write("cpu 11 0 0 103\n", to: "proc/stat")
        let old = [25.0, 0, 0, 75, 0, 0, 0, 0, 0, 0].map(Value.number)
        #expect(try reader.read() == old)
        try tree.write("cpu 12 0 0 103 50\n", to: "proc/stat")
        _ = try reader.read()
        try tree.write("cpu 13 0 0 103 40\n", to: "proc/stat")
        #expect(try reader.read()?.first == .number(100))
        try tree.write("cpu 1 0 0 1 0\n", to: "proc/stat")
        #expect(try reader.read() == nil)
        try tree.write("cpu 2 0 0 2 0\n", to: "proc/stat")
        #expect(try reader.read()?.first == .number(50))
    }

    @Test(arguments: ["", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4", "cpu a b c d", "cpu 1 2 -3 4"])
    func `invalid processor times make the modes unavailable`(text: String) throws {
        let tree = try FixtureTree(["proc/stat": text])
        let missing = try Discovery(CPUModesDriver(roots: tree.roots)).missing("cpu-modes")
        #expect(missing.reason.contains("/stat"))
    }

    @Test func `switches, interrupts and started processes are rates, the others counts`() throws {
        let tree = try FixtureTree([
            "proc/stat": Self.before, "proc/1/stat": "", "proc/4711/stat": "", "proc/self/stat": "",
        ])
        let time = ManualTime()
        let kernel = Discovery(KernelDriver(roots: tree.roots, awake: time.awake))
        let processes = Discovery(ProcessDriver(roots: tree.roots, awake: time.awake))
        var readers = (try kernel.reader("kernel"), try processes.reader("processes"))
        #expect(try readers.0.read() == nil)
        #expect(try readers.1.read() == nil)
        time.advance(by: .seconds(10))
        try tree.write(Self.after, to: "proc/stat")
        #expect(
            try kernel.named("kernel", try #require(try readers.0.read())) == [
                "contextSwitches": .number(100), "interrupts": .number(50),
                "softInterrupts": .number(2),
            ])
        #expect(
            try processes.named("processes", try #require(try readers.1.read())) == [
                "total": .integer(2), "running": .integer(4), "blocked": .integer(0),
                "started": .number(1),
            ])
    }

    @Test(arguments: ["ctxt", "intr", "processes", "procs_running", "procs_blocked", "softirq"])
    func `a line that is missing makes its sensor unavailable`(name: String) throws {
        let tree = try FixtureTree([
            "proc/stat": Self.before.replacing("\n\(name) ", with: "\nother ")
        ])
        let of = ["ctxt", "intr", "softirq"].contains(name) ? "kernel" : "processes"
        let found =
            KernelDriver(roots: tree.roots).discover() + ProcessDriver(roots: tree.roots).discover()
        let missing = found.filter(\.isUnavailable)
        #expect(missing.map(\.sensor.id.description) == [of])
    }

    @Test func `the frequency is in MHz for each core that is on`() throws {
        let core = "sys/devices/system/cpu"
        let tree = try FixtureTree([
            "\(core)/cpu0/cpufreq/scaling_cur_freq": "1699981\n",
            "\(core)/cpu1/cpufreq/scaling_cur_freq": "2400019\n",
            "\(core)/cpu2/online": "0\n", "\(core)/cpu10/cpufreq/scaling_cur_freq": "800000\n",
            "\(core)/cpuidle/current_driver": "intel_idle\n",
        ])
        let discovery = Discovery(CPUFrequencyDriver(roots: tree.roots))
        #expect(
            try discovery.values("cpu-frequency") == [
                "mean": .number(4_900_000 / 3 / 1000.0), "core0": .number(1699.981),
                "core1": .number(2400.019), "core10": .number(800),
            ])
        let reader = try discovery.reader("cpu-frequency")
        try tree.write("-1\n", to: "\(core)/cpu0/cpufreq/scaling_cur_freq")
        #expect(failure(of: reader) == .malformed)
        try tree.remove("\(core)/cpu0")
        #expect(failure(of: reader) == .gone)
    }

    @Test func `without cpufreq the remedy names its driver and virtual machines`() throws {
        let tree = try FixtureTree(["sys/devices/system/cpu/cpu0/online": "1\n"])
        let missing = try Discovery(CPUFrequencyDriver(roots: tree.roots)).missing("cpu-frequency")
        #expect(missing.reason.hasSuffix("has the folder cpufreq"))
        #expect(missing.remedy?.contains("acpi-cpufreq") == true)
    }

    @Test func `uptime is the first number`() throws {
        let tree = try FixtureTree(["proc/uptime": "350735.47 234388.90\n"])
        let discovery = Discovery(UptimeDriver(roots: tree.roots))
        #expect(try discovery.values("uptime") == ["up": .number(350735.47)])
        try tree.write("-1 2\n", to: "proc/uptime")
        #expect(failure(of: try discovery.reader("uptime")) == .malformed)
        try tree.remove("proc/uptime")
        #expect(try Discovery(UptimeDriver(roots: tree.roots)).missing("uptime").remedy != nil)
    }
}
