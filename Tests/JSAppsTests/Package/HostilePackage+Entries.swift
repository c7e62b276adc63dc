import JSApps

extension HostilePackage {
    private static func kind(_ mode: UInt32) -> (inout ForgedEntry) -> Void {
        { $0.attributes = mode << 16 }
    }

    static let entries: [HostilePackage] = [
        .entry("symbolic link", .unsafeEntry, change: kind(0o120777)),
        .entry("character device", .unsafeEntry, change: kind(0o020644)),
        .entry("block device", .unsafeEntry, change: kind(0o060644)),
        .entry("pipe", .unsafeEntry, change: kind(0o010644)),
        .entry("socket", .unsafeEntry, change: kind(0o140644)),
        .entry("unknown kind", .unsafeEntry, change: kind(0o150644)),
        .entry("set-user", .unsafeEntry, change: kind(0o104755)),
        .entry("set-group", .unsafeEntry, change: kind(0o102755)),
        .entry("sticky", .unsafeEntry, change: kind(0o101644)),
        .entry("folder mode on a file", .unsafeEntry, change: kind(0o040755)),
        .entry("DOS folder bit on a file", .unsafeEntry) { $0.attributes = 0x10 },
        .entry("DOS volume label", .unsafeEntry) { $0.attributes = 0x08 },
        .entry("link of another system", .unsafeEntry) {
            $0.madeBy = 20
            $0.attributes = 0o120777 << 16
        },
        .init(
            "file mode on a folder", .unsafeEntry,
            adding: .folder("my-app/lib/").changed { $0.attributes = 0o100644 << 16 }),
        .init(
            "set-group folder", .unsafeEntry,
            adding: .folder("my-app/lib/").changed { $0.attributes = 0o042755 << 16 }),
        .init("folder with data", .unsafeEntry, adding: .stored("my-app/lib/", "data")),
        .entry("attributes in an extra field", .unsafeEntry) {
            $0.local.extra = UInt16(0x6C78).littleBytes + [2, 0, 0, 0]
        },
        .entry("link in an extra field", .unsafeEntry) {
            $0.central.extra = UInt16(0x756E).littleBytes + [2, 0, 0, 0]
        },

        .entry("encrypted", .unsupportedArchive) { $0 = $0.changedBoth { $0.flags |= 1 } },
        .entry("strongly encrypted", .unsupportedArchive) {
            $0 = $0.changedBoth { $0.flags |= 1 << 6 }
        },
        .entry("masked headers", .unsupportedArchive) {
            $0 = $0.changedBoth { $0.flags |= 1 << 13 }
        },
        .entry("unknown flag", .unsupportedArchive) { $0 = $0.changedBoth { $0.flags |= 1 << 5 } },
        .entry("AES", .unsupportedArchive) {
            $0 = $0.changedBoth { $0.extra = [1, 0x99, 0, 0] }
        },
        .entry("bzip2", .unsupportedArchive) { $0 = $0.changedBoth { $0.method = 12 } },
        .entry("LZMA", .unsupportedArchive) { $0 = $0.changedBoth { $0.method = 14 } },
        .entry("Zstandard", .unsupportedArchive) { $0 = $0.changedBoth { $0.method = 93 } },
        .entry("ZIP64 sizes", .unsupportedArchive) {
            $0 = $0.changedBoth {
                $0.size = .max
                $0.packedSize = .max
                $0.extra = [1, 0, 16, 0] + UInt64(5).littleBytes + UInt64(5).littleBytes
            }
        },
        .entry("ZIP64 field without need", .unsupportedArchive) {
            $0.central.extra = [1, 0, 8, 0] + UInt64(1 << 40).littleBytes
        },
        .init("ZIP64 end", .unsupportedArchive) { forge in
            forge.claimedCount = .max
        },
        .init("ZIP64 directory", .unsupportedArchive) { forge in
            forge.claimedDirectoryOffset = .max
        },
        .init("second disk", .unsupportedArchive) { forge in forge.disk = 1 },
        .entry("entry on a second disk", .unsupportedArchive) { $0.disk = 1 },
    ]
}
