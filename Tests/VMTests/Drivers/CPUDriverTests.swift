import Samples
import Testing

@testable import VM

struct CPUDriverTests {
    /// Ticks of user, nice, system, idle, iowait, irq, softirq, steal, guest and guest_nice.
    private static let before = """
        cpu  100 0 50 800 50 0 0 0 40 0
        cpu0 60 0 20 400 20 0 0 0 40 0
        cpu1 40 0 30 400 30 0 0 0 0 0
        intr 12345 6 7
        """
    private static let after = """
        cpu  130 5 60 880 60 5 5 5 60 0
        cpu0 85 0 25 410 30 0 0 0 60 0
        cpu1 45 5 35 470 30 5 5 5 0 0
        intr 12399 6 7
        """

    @Test func `busy excludes idle and iowait between two reads`() throws {
        let tree = try FixtureTree(["proc/stat": Self.before])
        let discovery = Discovery(CPUDriver(roots: tree.roots))
        #expect(discovery.ids == ["cpu"])
        #expect(try discovery.sensor("cpu").fields.map(\.name) == ["busy", "core0", "core1"])
        var reader = try discovery.reader("cpu")
        #expect(try reader.read() == nil)
        try tree.write(Self.after, to: "proc/stat")
        // All: busy 30+5+10+5+5+5 = 60 of 150; core 0: 30 of 50; core 1: 30 of 100.
        #expect(try reader.read() == [.number(40), .number(60), .number(30)])
    }

    @Test func `a read without a new tick gives no sample and keeps the baseline`() throws {
        let tree = try FixtureTree(["proc/stat": Self.before])
        var reader = try Discovery(CPUDriver(roots: tree.roots)).reader("cpu")
        _ = try reader.read()
        #expect(try reader.read() == nil)
        try tree.write(Self.after, to: "proc/stat")
        #expect(try reader.read() == [.number(40), .number(60), .number(30)])
    }

    @Test func `iowait that decreases counts as no idle time`() throws {
        let tree = try FixtureTree(["proc/stat": "cpu 10 0 0 100 50\n"])
        var reader = try Discovery(CPUDriver(roots: tree.roots)).reader("cpu")
        _ = try reader.read()
        try tree.write("cpu 20 0 0 100 40\n", to: "proc/stat")
        #expect(try reader.read() == [.number(100)])
    }

    @Test func `restarted counters give no sample, then count from there`() throws {
        let tree = try FixtureTree(["proc/stat": "cpu 500 0 0 500\n"])
        var reader = try Discovery(CPUDriver(roots: tree.roots)).reader("cpu")
        _ = try reader.read()
        try tree.write("cpu 10 0 0 10\n", to: "proc/stat")
        #expect(try reader.read() == nil)
        try tree.write("cpu 11 0 0 13\n", to: "proc/stat")
        #expect(try reader.read() == [.number(25)])
    }

    @Test func `a removed core ends the reader`() throws {
        let tree = try FixtureTree(["proc/stat": Self.before])
        let reader = try Discovery(CPUDriver(roots: tree.roots)).reader("cpu")
        try tree.write("cpu 1 2 3 4\ncpu0 1 2 3 4\n", to: "proc/stat")
        #expect(failure(of: reader) == .gone)
        try tree.remove("proc/stat")
        #expect(failure(of: reader) == .gone)
    }

    @Test func `counters at the end of 64 bits do not trap`() throws {
        let huge = "9223372036854775807"
        let line = "cpu \(huge) \(huge) \(huge) \(huge) \(huge) \(huge) \(huge) \(huge)\n"
        let tree = try FixtureTree(["proc/stat": "cpu 0 0 0 0 0 0 0 0\n"])
        var reader = try Discovery(CPUDriver(roots: tree.roots)).reader("cpu")
        _ = try reader.read()
        try tree.write(line, to: "proc/stat")
        #expect(try reader.read() == [.number(75)])
    }

    @Test(arguments: [
        "", "\n", "cpu", "cpu 1 2 3", "cpu -1 2 3 4", "cpu a b c d", "cpu0 1 2 3 4",
        "cpu 1 2 3 18446744073709551616", "cpu 1 2 3 4\ncpu0 1 2 3 4\ncpu0 1 2 3 4",
    ])
    func `an invalid table makes the sensor unavailable`(text: String) throws {
        let tree = try FixtureTree(["proc/stat": text])
        let missing = try Discovery(CPUDriver(roots: tree.roots)).missing("cpu")
        #expect(missing.reason.contains("/stat"))
    }
}
