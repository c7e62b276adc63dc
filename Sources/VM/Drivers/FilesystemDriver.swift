import Glibc
import Samples

/// The usage of each mounted filesystem.
///
/// usedPercent = used / (used + available), as in df(1). A device that is mounted in several places
/// is listed once, at its shortest path. Network filesystems and filesystems of user programs are
/// listed as unavailable, because a server that does not answer would block the read forever.
/// Source: `/proc/self/mounts` and statvfs(3).
struct FilesystemDriver: SensorDriver {
    typealias Measure = @Sendable (String) throws(SensorError) -> FilesystemUsage

    private static let fields = [
        Field("total", unit: "By", kind: .integer),
        Field("free", unit: "By", kind: .integer),
        Field("available", unit: "By", kind: .integer),
        Field("usedPercent", unit: "%"),
        Field("inodesFree", unit: "{inode}", kind: .integer),
    ]
    /// Types without user data, and images that never change.
    private static let virtual: Set<String> = [
        "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
        "devtmpfs", "efivarfs", "fuse.gvfsd-fuse", "fuse.lxcfs", "fuse.portal", "fuse.snapfuse",
        "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "proc", "pstore", "ramfs", "rootfs",
        "rpc_pipefs", "securityfs", "selinuxfs", "squashfs", "sysfs", "tmpfs", "tracefs",
    ]
    private static let network: Set<String> = [
        "9p", "afs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4",
        "ocfs2", "smb3", "smbfs",
    ]
    /// Where container engines mount the layers of containers.
    private static let containerFolders = [
        "/run/", "/var/lib/containerd/", "/var/lib/containers/", "/var/lib/docker/",
    ]

    private let file: SystemFile
    private let measure: Measure

    init(
        roots: SystemRoots,
        measure: @escaping Measure = { point throws(SensorError) in try .ofMount(at: point) }
    ) {
        file = SystemFile("\(roots.proc)/self/mounts")
        self.measure = measure
    }

    func discover() -> [DiscoveredSensor] {
        do throws(SensorError) {
            let all = try file.lines().compactMap(Mount.init)
            let mounts = Self.distinct(all)
            guard !mounts.isEmpty else { return [missing("no filesystem in \(file.path)")] }
            let remote = all.filter(Self.isRemote)
            var identifiers = InstanceNames(of: "filesystem")
            return mounts.map { mount in
                let name = mount.point == "/" ? "root" : mount.point
                let sensor = Sensor(
                    id: identifiers.claim(name), title: "Filesystem \(mount.point.printable)",
                    fields: Self.fields,
                    source: "\(mount.type.printable) on \(mount.point.printable)",
                    cadence: .slow)
                return DiscoveredSensor(sensor, availability(of: mount, remote: remote))
            }
        } catch {
            return [missing(error.message)]
        }
    }

    private func availability(of mount: Mount, remote: [Mount]) -> Availability {
        if let server = remote.first(where: mount.isBeneath) {
            let place = server.point == mount.point ? "a" : "beneath a"
            return .unavailable(
                reason: "\(place) \(server.type.printable) filesystem, which may stop answering",
                remedy: nil)
        }
        guard !mount.point.unicodeScalars.contains("\u{FFFD}") else {
            return .unavailable(reason: "its path is not UTF-8", remedy: nil)
        }
        return .polled(Reader(point: mount.point, measure: measure))
    }

    private func missing(_ reason: String) -> DiscoveredSensor {
        let sensor = Sensor(
            id: "filesystem", title: "Filesystems", fields: Self.fields, source: file.path,
            cadence: .slow)
        return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: "mount procfs"))
    }

    /// The mounts that become sensors, the shortest paths first.
    private static func distinct(_ mounts: [Mount]) -> [Mount] {
        // A later mount hides an earlier one at the same path.
        let visible = Dictionary(mounts.map { ($0.point, $0) }, uniquingKeysWith: { $1 })
        var sources: Set<String> = []
        return visible.values
            .sorted { ($0.point.utf8.count, $0.point) < ($1.point.utf8.count, $1.point) }
            .filter { mount in
                guard !virtual.contains(mount.type), !isContainerLayer(mount) else { return false }
                return !mount.source.hasPrefix("/") || sources.insert(mount.source).inserted
            }
    }

    private static func isRemote(_ mount: Mount) -> Bool {
        network.contains(mount.type) || mount.type.hasPrefix("fuse.")
    }

    private static func isContainerLayer(_ mount: Mount) -> Bool {
        mount.type == "overlay" && containerFolders.contains(where: mount.point.hasPrefix)
    }

    private struct Reader: SampleReader {
        let point: String
        let measure: Measure

        mutating func read() throws(SensorError) -> [Value]? {
            let usage = try measure(point)
            guard usage.blocks > 0, usage.free <= usage.blocks, usage.available <= usage.free else {
                throw SensorError(
                    .malformed, "\(point) reports more free blocks than blocks, or no blocks")
            }
            let used = Double(usage.blocks - usage.free)
            let reachable = used + Double(usage.available)
            return [
                .integer(try bytes(usage.blocks, usage)),
                .integer(try bytes(usage.free, usage)),
                .integer(try bytes(usage.available, usage)),
                .number(reachable > 0 ? 100 * used / reachable : 100),
                .integer(Int64(clamping: usage.inodesFree)),
            ]
        }

        private func bytes(
            _ blocks: UInt64, _ usage: FilesystemUsage
        ) throws(SensorError) -> Int64 {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: usage.blockSize)
            guard !overflow, let bytes = Int64(exactly: bytes) else {
                throw SensorError(.malformed, "\(point) is larger than 64 bits can represent")
            }
            return bytes
        }
    }
}

/// The result of statvfs(3) for a mounted filesystem.
struct FilesystemUsage: Hashable, Sendable {
    /// Bytes in a block.
    var blockSize: UInt64
    var blocks: UInt64
    /// Unused blocks.
    var free: UInt64
    /// Unused blocks that are not reserved for the superuser.
    var available: UInt64
    /// Unused inodes; 0 where the filesystem does not count them.
    var inodesFree: UInt64

    /// Calls statvfs(3); blocks for as long as the filesystem takes to answer.
    static func ofMount(at point: String) throws(SensorError) -> FilesystemUsage {
        var answer = statvfs()
        guard statvfs(point, &answer) == 0 else { throw SystemFile(point).failure(errno) }
        return FilesystemUsage(
            blockSize: UInt64(answer.f_frsize), blocks: UInt64(answer.f_blocks),
            free: UInt64(answer.f_bfree), available: UInt64(answer.f_bavail),
            inodesFree: UInt64(answer.f_ffree))
    }
}

/// One line of the mount table, fstab(5).
private struct Mount: Hashable, Sendable {
    let source: String
    let point: String
    let type: String

    /// - Returns: `nil` for a line that is not a mount at an absolute path.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 3 else { return nil }
        source = Self.decode(words[0])
        point = Self.decode(words[1])
        type = String(words[2])
        guard point.hasPrefix("/"), !point.utf8.contains(0) else { return nil }
    }

    /// Whether this mount is at or beneath `other`.
    func isBeneath(_ other: Mount) -> Bool {
        point == other.point || point.hasPrefix(other.point == "/" ? "/" : other.point + "/")
    }

    /// Decodes `\040` and the like, with which the kernel writes white space and backslashes.
    private static func decode(_ word: Substring) -> String {
        let bytes = Array(word.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[(index + 1)...].prefix(3)
            if bytes[index] == UInt8(ascii: "\\"), digits.count == 3,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                decoded.append(byte)
                index += 4
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
