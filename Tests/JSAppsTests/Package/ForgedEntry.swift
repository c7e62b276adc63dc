/// An entry of a forged archive; each of its two records can be made to lie.
struct ForgedEntry {
    var local: ForgedHeader
    var central: ForgedHeader
    var payload: [UInt8]
    var descriptor: [UInt8] = []
    var madeBy: UInt16 = 3 << 8 | 20
    var attributes: UInt32 = 0o100644 << 16
    var disk: UInt16 = 0
    var comment: [UInt8] = []
    /// Where the directory says the entry is, if not where it is.
    var claimedOffset: UInt32?

    private init(header: ForgedHeader, payload: [UInt8]) {
        local = header
        central = header
        self.payload = payload
    }

    static func stored(_ name: String, _ content: String = "") -> ForgedEntry {
        stored(Array(name.utf8), Array(content.utf8))
    }

    static func stored(_ name: [UInt8], _ content: [UInt8]) -> ForgedEntry {
        let size = UInt32(content.count)
        let header = ForgedHeader(
            crc: CRC32.of(content), packedSize: size, size: size, name: name)
        return ForgedEntry(header: header, payload: content)
    }

    static func deflated(_ name: String, _ content: String) -> ForgedEntry {
        let bytes = Array(content.utf8)
        let packed = Deflate.stored(bytes)
        let header = ForgedHeader(
            method: 8, crc: CRC32.of(bytes), packedSize: UInt32(packed.count),
            size: UInt32(bytes.count), name: Array(name.utf8))
        return ForgedEntry(header: header, payload: packed)
    }

    /// A file of many equal bytes that is tiny in the archive; its checksum is wrong.
    static func bomb(_ name: String, size: Int, claimed: Int) -> ForgedEntry {
        let packed = Deflate.zeros(size)
        let header = ForgedHeader(
            method: 8, packedSize: UInt32(packed.count), size: UInt32(claimed),
            name: Array(name.utf8))
        return ForgedEntry(header: header, payload: packed)
    }

    static func folder(_ name: String) -> ForgedEntry {
        var entry = stored(name)
        entry.attributes = 0o040755 << 16 | 0x10
        return entry
    }

    /// The same entry as a program writes it that cannot go back: sizes follow the data.
    func streamed(signed: Bool = true) -> ForgedEntry {
        var entry = self
        entry.central.flags |= 8
        entry.local.flags |= 8
        (entry.local.crc, entry.local.packedSize, entry.local.size) = (0, 0, 0)
        entry.descriptor =
            (signed ? [0x50, 0x4B, 7, 8] : []) + central.crc.littleBytes
            + central.packedSize.littleBytes + central.size.littleBytes
        return entry
    }

    func changed(_ change: (inout ForgedEntry) -> Void) -> ForgedEntry {
        var entry = self
        change(&entry)
        return entry
    }

    /// Changes both records alike.
    func changedBoth(_ change: (inout ForgedHeader) -> Void) -> ForgedEntry {
        changed {
            change(&$0.local)
            change(&$0.central)
        }
    }

    var localBytes: [UInt8] {
        [0x50, 0x4B, 3, 4, 20, 0] + local.common + local.name + local.extra + payload + descriptor
    }

    func centralBytes(offset: UInt32) -> [UInt8] {
        [0x50, 0x4B, 1, 2] + madeBy.littleBytes + [20, 0] + central.common
            + UInt16(comment.count).littleBytes + disk.littleBytes + [0, 0]
            + attributes.littleBytes + (claimedOffset ?? offset).littleBytes + central.name
            + central.extra + comment
    }
}
