import Samples
import TestSupport
import Testing

@testable import VM

struct DiskDriverTests {
    @Test func `rates and totals are computed from sectors`() throws {
        let tree = try FixtureTree([
            "sys/block/sda/stat": "  100 5 2000 30 50 7 1000 40 0 500 70 0 0 0 0\n"
        ])
        let time = ManualTime()
        let discovery = Discovery(DiskDriver(roots: tree.roots, awake: time.awake))
        var reader = try discovery.reader("disk.sda")
        #expect(try reader.read() == nil)
        time.advance(by: .seconds(2))
        try tree.write("110 5 2100 30 70 7 1200 40 0 1500 70", to: "sys/block/sda/stat")
        let values = try discovery.named("disk.sda", try #require(try reader.read()))
        #expect(
            values == [
                "readRate": .number(25_600), "writeRate": .number(51_200),
                "readOperations": .number(5), "writeOperations": .number(10),
                "busy": .number(50), "readBytes": .integer(1_075_200),
                "writtenBytes": .integer(614_400),
            ])
    }

    @Test func `whole devices are listed, memory disks and empty slots are not`() throws {
        let used = "1 0 8 0 0 0 0 0 0 0 0"
        let unused = "0 0 0 0 0 0 0 0 0 0 0"
        let tree = try FixtureTree([
            "sys/block/loop0/stat": used, "sys/block/ram1/stat": used,
            "sys/block/zram0/stat": used, "sys/block/dm-0/stat": used,
            "sys/block/md127/stat": used, "sys/block/nvme0n1/stat": used,
            "sys/block/nvme0n1/nvme0n1p1/stat": used, "sys/block/cciss!c0d0/stat": used,
            "sys/block/sdb/stat": unused, "sys/block/sdb/size": "0\n",
            "sys/block/sdc/stat": unused, "sys/block/sdc/size": "4096\n",
        ])
        let ids = Discovery(DiskDriver(roots: tree.roots)).ids
        #expect(
            ids == ["disk.sdc", "disk.dm-0", "disk.md127", "disk.nvme0n1", "disk.cciss-c0d0"])
    }

    @Test func `a counter that wraps gives no sample, then counts from there`() throws {
        let tree = try FixtureTree(["sys/block/sda/stat": "9 0 9 0 9 0 9 0 0 4294967295 0"])
        let time = ManualTime()
        var reader = try Discovery(DiskDriver(roots: tree.roots, awake: time.awake))
            .reader("disk.sda")
        _ = try reader.read()
        time.advance(by: .seconds(1))
        try tree.write("9 0 9 0 9 0 9 0 0 100 0", to: "sys/block/sda/stat")
        #expect(try reader.read() == nil)
        time.advance(by: .seconds(1))
        try tree.write("9 0 9 0 9 0 9 0 0 350 0", to: "sys/block/sda/stat")
        #expect(try reader.read()?[4] == .number(25))
    }

    @Test func `two reads at the same time give no sample`() throws {
        let tree = try FixtureTree(["sys/block/sda/stat": "9 0 9 0 9 0 9 0 0 9 0"])
        var reader = try Discovery(DiskDriver(roots: tree.roots, awake: ManualTime().awake))
            .reader("disk.sda")
        #expect(try reader.read() == nil)
        #expect(try reader.read() == nil)
    }

    @Test(arguments: [
        "", "1 2 3", "1 0 -8 0 0 0 0 0 0 0 0", "x y z 0 0 0 0 0 0 0 0",
        "1 0 9223372036854775807 0 0 0 0 0 0 0 0", "1 0 18446744073709551615 0 0 0 0 0 0 0 0",
    ])
    func `malformed counters are an error`(text: String) throws {
        let tree = try FixtureTree(["sys/block/sda/stat": "1 0 8 0 0 0 0 0 0 0 0"])
        let reader = try Discovery(DiskDriver(roots: tree.roots)).reader("disk.sda")
        try tree.write(text, to: "sys/block/sda/stat")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `a removed disk is gone, and a machine without disks reports none`() throws {
        let tree = try FixtureTree(["sys/block/sda/stat": "1 0 8 0 0 0 0 0 0 0 0"])
        let driver = DiskDriver(roots: tree.roots)
        let reader = try Discovery(driver).reader("disk.sda")
        try tree.remove("sys/block/sda")
        #expect(failure(of: reader) == .gone)
        #expect(try Discovery(driver).missing("disk").reason.hasPrefix("no disk under"))
    }
}
