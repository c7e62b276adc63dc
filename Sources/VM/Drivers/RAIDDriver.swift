import Samples

/// The state of each array of disks that the kernel's RAID manages.
///
/// Source: `/sys/block/md*/md`, Documentation/admin-guide/md.rst, which has the same content as
/// `/proc/mdstat`.
struct RAIDDriver: SensorDriver {
    private static let fields = [
        Field("state", kind: .state),
        Field("missing", unit: "{disk}", kind: .integer),
        Field("disks", unit: "{disk}", kind: .integer),
        Field("activity", kind: .state),
    ]

    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/block")
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "raid")
        let arrays = folder.names
            .filter { $0.hasPrefix("md") && folder.folder($0).file("md/array_state").exists }
            .map { name in
                let array = folder.folder(name).folder("md")
                let level = array.line("level") ?? "array"
                let sensor = Sensor(
                    id: identifiers.claim(name),
                    title: "Disk array \(name.printable) (\(level.printable))",
                    fields: Self.fields, source: array.path, cadence: .slow)
                return DiscoveredSensor.probed(sensor, Reader(array: array), remedy: nil)
            }
        guard arrays.isEmpty else { return arrays }
        let sensor = Sensor(
            id: "raid", title: "Disk array", fields: Self.fields, source: folder.path,
            cadence: .slow)
        let missing = Availability.unavailable(
            reason: "no array md* under \(folder.path)",
            remedy: "arrays of mdadm are read; those of controllers, ZFS and Btrfs are not")
        return [DiscoveredSensor(sensor, missing)]
    }

    private struct Reader: SampleReader {
        private static let activities = [
            "idle", "resync", "recover", "check", "repair", "reshape", "frozen",
        ]

        let array: SystemFolder

        mutating func read() throws(SensorError) -> [Value]? {
            let kernel = try array.file("array_state").line()
            // Levels without redundancy, such as raid0, have neither of both files.
            let degraded = array.file("degraded")
            let missing = degraded.exists ? try degraded.integer() : 0
            let disks = try disks()
            guard (0...disks).contains(missing) else {
                throw degraded.malformed("is not between 0 and the number of disks")
            }
            let action = array.line("sync_action") ?? "idle"
            return [
                .text(state(of: kernel, missing: missing)), .integer(missing), .integer(disks),
                .text(Self.activities.contains(action) ? action : "unknown"),
            ]
        }

        private func state(of kernel: String, missing: Int64) -> String {
            switch kernel {
            case "clear", "inactive": "stopped"
            case "broken": "failed"
            case "suspended", "readonly", "read-auto", "clean", "active", "write-pending",
                "active-idle":
                missing > 0 ? "degraded" : "complete"
            default: "unknown"
            }
        }

        /// While an array is reshaped, the file has the old number in parentheses: `5 (4)`.
        private func disks() throws(SensorError) -> Int64 {
            let file = array.file("raid_disks")
            return try TableRow(try file.line()[...], of: file).counter(0)
        }
    }
}
