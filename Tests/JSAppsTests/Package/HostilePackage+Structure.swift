import JSApps

extension HostilePackage {
    private static let whole = ZipForge.good().bytes
    private static let second = ZipForge.good().entries[0].localBytes.count

    static let structure: [HostilePackage] = [
        .init("empty file", .notAnArchive, []),
        .init("text", .notAnArchive, Array("hello, world".utf8)),
        .init("gzip", .notAnArchive, [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 100)),
        .init("first bytes only", .malformedArchive, [0x50, 0x4B, 3, 4]),
        .init("no end", .malformedArchive, whole.dropLast(22)),
        .init("cut in the end", .malformedArchive, whole.dropLast(1)),
        .init("data before", .malformedArchive) { forge in
            forge.prefix = Array("#!/bin/sh\n".utf8)
        },
        .init("data before that no offset knows", .malformedArchive, [1, 2, 3] + whole),
        .init("data after", .malformedArchive, whole + [0]),
        .init("an archive after", .malformedArchive, whole + whole),
        .init("two ends", .malformedArchive, whole + whole.suffix(22)),
        .init("an end in the comment", .malformedArchive) { forge in
            forge.comment = ZipForge([]).bytes
        },
        .init("comment too long", .unsupportedArchive) { forge in
            forge.comment = [UInt8](repeating: 0x20, count: 16_001)
        },
        .init("comment of the greatest length", .unsupportedArchive) { forge in
            forge.comment = [UInt8](repeating: 0x20, count: 65_535)
        },
        .init("comment longer than declared", .malformedArchive) { forge in
            forge.suffix = Array("more".utf8)
        },
        .init("gap before the directory", .malformedArchive) { forge in
            forge.beforeDirectory = [0, 0, 0, 0]
        },
        .init("gap before the end", .malformedArchive) { forge in
            forge.beforeEnd = [0, 0, 0, 0]
        },
        .init("hidden entry", .malformedArchive) { forge in
            forge.beforeDirectory = ForgedEntry.stored("my-app/hidden.js", "evil").localBytes
        },
        .init("fewer entries than said", .malformedArchive) { forge in
            forge.claimedCount = 4
        },
        .init("more entries than said", .malformedArchive) { forge in
            forge.claimedCount = 2
        },
        .init("directory size lies", .malformedArchive) { forge in
            forge.claimedDirectorySize = 10
        },
        .init("directory beyond the file", .malformedArchive) { forge in
            forge.claimedDirectoryOffset = 0x7FFF_FFFF
        },
        .entry("entry beyond the file", .malformedArchive) { $0.claimedOffset = 0x7FFF_FFFF },
        .entry("two entries share data", .malformedArchive) { $0.claimedOffset = 0 },
        .entry("entry inside another", .malformedArchive) {
            $0.claimedOffset = UInt32(second + 10)
        },
        .init("quoted overlap", .malformedArchive) { forge in
            // The data of the first entry contains the header of the second.
            let quoted = forge.entries[1].localBytes
            forge.entries[0] = .stored("my-app/package.json", "")
            forge.entries[0].payload = []
            forge.entries[0] = forge.entries[0].changedBoth {
                $0.size = UInt32(quoted.count)
                $0.packedSize = UInt32(quoted.count)
            }
        },
        .entry("names differ", .malformedArchive) { $0.local.name = Array("my-app/bpp.js".utf8) },
        .entry("lengths of names differ", .malformedArchive) {
            $0.local.name = Array("my-app/a".utf8)
        },
        .entry("methods differ", .malformedArchive) { $0.local.method = 8 },
        .entry("flags differ", .malformedArchive) { $0.local.flags = 1 << 11 },
        .entry("sizes differ", .malformedArchive) { $0.local.size += 1 },
        .entry("packed sizes differ", .malformedArchive) { $0.local.packedSize += 1 },
        .entry("checksums differ", .malformedArchive) { $0.local.crc ^= 1 },
        .entry("stored with two sizes", .malformedArchive) {
            $0 = $0.changedBoth { $0.size += 1 }
        },
        .entry("two names", .malformedArchive) {
            $0.central.extra = [0x75, 0x70, 9, 0, 1, 0, 0, 0, 0] + Array("evil".utf8)
        },
        .entry("extra field cut off", .malformedArchive) { $0.local.extra = [1, 2, 9, 0] },
        .entry("descriptor missing", .malformedArchive) {
            $0 = $0.streamed()
            $0.descriptor = []
        },
        .entry("descriptor lies", .malformedArchive) {
            $0 = $0.streamed()
            $0.descriptor[8] ^= 1
        },
        .entry("descriptor without its flag", .malformedArchive) {
            $0.descriptor = $0.streamed().descriptor
        },
        .entry("half-filled header before a descriptor", .malformedArchive) {
            $0 = $0.streamed()
            $0.local.size = 1
        },
        .entry("bad checksum, stored", .malformedArchive) { $0.payload[0] ^= 1 },
        .entry("bad checksum, empty file", .malformedArchive) {
            $0 = ForgedEntry.stored("my-app/app.js").changedBoth { $0.crc = 7 }
        },
        .init("bad checksum, deflated", .malformedArchive) { forge in
            forge.entries[2].payload[10] ^= 1
        },
        .init("broken deflate stream", .malformedArchive) { forge in
            forge.entries[2].payload[0] = 7
        },
        .init("more data than said", .malformedArchive) { forge in
            forge.entries[2] = forge.entries[2].changedBoth { $0.size -= 1 }
        },
        .init("less data than said", .malformedArchive) { forge in
            forge.entries[2] = forge.entries[2].changedBoth { $0.size += 1 }
        },
        .init("bytes behind the deflate stream", .malformedArchive) { forge in
            forge.entries[2].payload += [1, 2, 3]
            forge.entries[2] = forge.entries[2].changedBoth { $0.packedSize += 3 }
        },
    ]
}
