import Samples
import Testing

@testable import VM

struct RAIDDriverTests {
    /// A mirror whose files have the given contents.
    private func array(_ files: [String: String]) throws -> FixtureTree {
        try FixtureTree(
            Dictionary(
                uniqueKeysWithValues: files.map {
                    ("sys/block/md5/md/\($0.key)", $0.value + "\n")
                }))
    }

    @Test(
        arguments: [
            ("clean", "0", "complete"), ("active", "1", "degraded"), ("inactive", "0", "stopped"),
            ("broken", "0", "failed"), ("new word", "0", "unknown"),
        ])
    func `the state tells whether disks are missing`(
        kernel: String, missing: String, state: String
    ) throws {
        let tree = try array([
            "array_state": kernel, "degraded": missing, "raid_disks": "3", "level": "raid5",
            "sync_action": "recover",
        ])
        let discovery = Discovery(RAIDDriver(roots: tree.roots))
        #expect(try discovery.sensor("raid.md5").title == "Disk array md5 (raid5)")
        #expect(
            try discovery.values("raid.md5") == [
                "state": .text(state), "missing": .integer(try #require(Int64(missing))),
                "disks": .integer(3), "activity": .text("recover"),
            ])
    }

    @Test func `an array without redundancy has no disk missing and is idle`() throws {
        let tree = try array(["array_state": "clean", "raid_disks": "2", "level": "raid0"])
        let values = try Discovery(RAIDDriver(roots: tree.roots)).values("raid.md5")
        #expect(values["state"] == .text("complete") && values["activity"] == .text("idle"))
    }

    @Test func `an array that is reshaped has its new number of disks`() throws {
        let tree = try array(["array_state": "clean", "raid_disks": "5 (4)", "degraded": "0"])
        #expect(
            try Discovery(RAIDDriver(roots: tree.roots)).values("raid.md5")["disks"] == .integer(5))
    }

    @Test(arguments: [("-1", "3"), ("4", "3"), ("0", "many")])
    func `impossible numbers make it unavailable`(missing: String, disks: String) throws {
        let tree = try array(["array_state": "clean", "raid_disks": disks, "degraded": missing])
        #expect(!(try Discovery(RAIDDriver(roots: tree.roots)).missing("raid.md5").reason.isEmpty))
    }

    @Test func `other block devices are no arrays`() throws {
        let tree = try FixtureTree(["sys/block/sda/stat": "1\n", "sys/block/md0/size": "0\n"])
        #expect(try Discovery(RAIDDriver(roots: tree.roots)).missing("raid").remedy != nil)
    }
}
