import Samples
import Testing

@testable import VM

struct LoadAndMemoryDriverTests {
    private static let meminfo = """
        MemTotal:        1000 kB
        MemFree:          200 kB
        MemAvailable:     750 kB
        Buffers:           50 kB
        Cached:           300 kB
        SwapTotal:        400 kB
        SwapFree:         100 kB
        HugePages_Total:       0
        """

    @Test func `load has three averages and two counts`() throws {
        let tree = try FixtureTree(["proc/loadavg": "1.16 1.00 0.46 3/840 13263\n"])
        let values = try Discovery(LoadDriver(roots: tree.roots)).values("load")
        #expect(
            values == [
                "load1": .number(1.16), "load5": .number(1), "load15": .number(0.46),
                "runnable": .integer(3), "total": .integer(840),
            ])
    }

    @Test(arguments: [
        "", "1 2", "1 2 3", "1 2 3 4", "1 2 3 /", "1 2 3 1/", "1 2 3 -1/5", "nan 2 3 1/2",
        "inf 2 3 1/2", "-1 2 3 1/2", "1 2 3 1/99999999999999999999", "1e999 2 3 1/2",
    ])
    func `a malformed load is an error`(text: String) throws {
        let tree = try FixtureTree(["proc/loadavg": "1 2 3 1/2 3"])
        let reader = try Discovery(LoadDriver(roots: tree.roots)).reader("load")
        try tree.write(text, to: "proc/loadavg")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `used memory is total minus available`() throws {
        let tree = try FixtureTree(["proc/meminfo": Self.meminfo])
        let values = try Discovery(MemoryDriver(roots: tree.roots)).values("memory")
        #expect(
            values == [
                "total": .integer(1_024_000), "available": .integer(768_000),
                "free": .integer(204_800), "buffers": .integer(51_200),
                "cached": .integer(307_200), "swapTotal": .integer(409_600),
                "swapFree": .integer(102_400), "used": .integer(256_000),
                "usedPercent": .number(25),
            ])
    }

    @Test(arguments: [
        ("MemAvailable:     750 kB", ""),
        ("MemTotal:        1000 kB", "MemTotal: 0 kB"),
        ("MemTotal:        1000 kB", "MemTotal: -5 kB"),
        ("MemTotal:        1000 kB", "MemTotal: 9223372036854775807 kB"),
        ("MemTotal:        1000 kB", "MemTotal:"),
        ("SwapFree:         100 kB", "SwapFree: many kB"),
    ])
    func `malformed memory is an error`(line: String, replacement: String) throws {
        let tree = try FixtureTree(["proc/meminfo": Self.meminfo])
        let reader = try Discovery(MemoryDriver(roots: tree.roots)).reader("memory")
        try tree.write(
            Self.meminfo.replacing(line, with: replacement), to: "proc/meminfo")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `without procfs both are unavailable`() throws {
        let tree = try FixtureTree()
        let load = try Discovery(LoadDriver(roots: tree.roots)).missing("load")
        let memory = try Discovery(MemoryDriver(roots: tree.roots)).missing("memory")
        #expect(load.reason.hasSuffix("/proc/loadavg: No such file or directory"))
        #expect(memory.remedy == "mount procfs")
    }
}
