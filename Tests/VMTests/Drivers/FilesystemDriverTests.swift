import Samples
import Testing

@testable import VM

struct FilesystemDriverTests {
    private static let usage = FilesystemUsage(
        blockSize: 4096, blocks: 1000, free: 400, available: 300, inodesFree: 77)

    private func discover(
        _ mounts: String, measure: @escaping FilesystemDriver.Measure = { _ in usage }
    ) throws -> Discovery {
        let tree = try FixtureTree(["proc/self/mounts": mounts])
        return Discovery(FilesystemDriver(roots: tree.roots, measure: measure))
    }

    @Test func `sizes are in bytes, and usedPercent equals that of df`() throws {
        let values = try discover("/dev/sda1 / ext4 rw 0 0\n").values("filesystem.root")
        #expect(
            values == [
                "total": .integer(4_096_000), "free": .integer(1_638_400),
                "available": .integer(1_228_800), "usedPercent": .number(100 * 600.0 / 900),
                "inodesFree": .integer(77),
            ])
    }

    @Test func `real filesystems are listed once and named by their mount point`() throws {
        let discovery = try discover(
            """
            proc /proc proc rw 0 0
            tmpfs /run tmpfs rw 0 0
            cgroup2 /sys/fs/cgroup cgroup2 rw 0 0
            /dev/sda1 / ext4 rw 0 0
            /dev/sda1 /var/bind ext4 rw 0 0
            /dev/sdb1 /mnt/my\\040disk ext4 rw 0 0
            /dev/loop3 /snap/core/1 squashfs ro 0 0
            overlay /merged overlay rw 0 0
            overlay /var/lib/docker/overlay2/abc/merged overlay rw 0 0
            """)
        #expect(
            discovery.ids == ["filesystem.root", "filesystem.merged", "filesystem.mnt-my-disk"])
        #expect(try discovery.sensor("filesystem.mnt-my-disk").title == "Filesystem /mnt/my disk")
        #expect(try discovery.sensor("filesystem.root").cadence == .slow)
    }

    @Test func `a later mount hides an earlier one at the same path`() throws {
        let discovery = try discover("/dev/sda1 /mnt ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n")
        #expect(try discovery.missing("filesystem").reason.hasPrefix("no filesystem in"))
    }

    @Test(arguments: ["nfs4", "cifs", "fuse.sshfs", "9p"])
    func `network filesystems and mounts below them are not read`(type: String) throws {
        let discovery = try discover(
            "server:/x /net/x \(type) rw 0 0\n/dev/sdb /net/x/usb ext4 rw 0 0\n",
            measure: { _ in
                Issue.record("measured a filesystem that may stop answering")
                return Self.usage
            })
        let server = try discovery.missing("filesystem.net-x").reason
        #expect(server == "a \(type) filesystem, which may stop answering")
        #expect(try discovery.missing("filesystem.net-x-usb").reason.hasPrefix("beneath a"))
    }

    @Test(arguments: [
        FilesystemUsage(blockSize: 4096, blocks: 0, free: 0, available: 0, inodesFree: 0),
        FilesystemUsage(blockSize: 4096, blocks: 5, free: 6, available: 0, inodesFree: 0),
        FilesystemUsage(blockSize: 4096, blocks: 5, free: 4, available: 5, inodesFree: 0),
        FilesystemUsage(blockSize: .max, blocks: .max, free: 0, available: 0, inodesFree: .max),
        FilesystemUsage(blockSize: 1, blocks: .max, free: 0, available: 0, inodesFree: 0),
    ])
    func `an impossible result of statvfs is malformed`(usage: FilesystemUsage) throws {
        let discovery = try discover("/dev/sda1 / ext4 rw 0 0", measure: { _ in usage })
        #expect(failure(of: try discovery.reader("filesystem.root")) == .malformed)
    }

    @Test func `a filesystem without available blocks is 100 % full`() throws {
        let usage = FilesystemUsage(
            blockSize: 1, blocks: 10, free: 10, available: 0, inodesFree: .max)
        let values = try discover("/dev/sda1 / ext4 rw 0 0", measure: { _ in usage })
            .values("filesystem.root")
        #expect(values["usedPercent"] == .number(100))
        #expect(values["inodesFree"] == .integer(.max))
    }

    @Test func `an unmounted filesystem is gone`() throws {
        let tree = try FixtureTree(["mnt/x": ""])
        let point = tree.path("mnt")
        try tree.write("/dev/sda1 \(point) ext4 rw 0 0", to: "proc/self/mounts")
        let discovery = Discovery(FilesystemDriver(roots: tree.roots))
        let id = try #require(discovery.ids.first)
        #expect(try discovery.values(id).count == 5)
        try tree.remove("mnt")
        #expect(failure(of: try discovery.reader(id)) == .gone)
    }

    @Test func `lines that are not mounts are skipped`() throws {
        let discovery = try discover(
            """

            /dev/sda1
            /dev/sda1 /
            /dev/sda1 relative ext4 rw 0 0
            /dev/sda2 /nul\\000 ext4 rw 0 0
            /dev/sda3 /end\\04 ext4 rw 0 0
            /dev/sda4 /\\777\\ ext4 rw 0 0
            /dev/sda5 /\\377 ext4 rw 0 0
            """)
        #expect(
            discovery.ids == ["filesystem.unnamed", "filesystem.777", "filesystem.end-04"])
        #expect(try discovery.missing("filesystem.unnamed").reason == "its path is not UTF-8")
    }
}
