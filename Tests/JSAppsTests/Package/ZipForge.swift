/// Builds ZIP archives byte by byte, including ones whose headers contradict each other.
struct ZipForge {
    var entries: [ForgedEntry]
    var prefix: [UInt8] = []
    var beforeDirectory: [UInt8] = []
    var beforeEnd: [UInt8] = []
    var suffix: [UInt8] = []
    var comment: [UInt8] = []
    var disk: UInt16 = 0
    var claimedCount: UInt16?
    var claimedDirectorySize: UInt32?
    var claimedDirectoryOffset: UInt32?

    init(_ entries: [ForgedEntry]) {
        self.entries = entries
    }

    /// A small valid package.
    static func good(name: String = "my-app", version: String = "1.0.0") -> ZipForge {
        ZipForge([
            .stored("\(name)/package.json", manifest(name: name, version: version)),
            .stored("\(name)/app.js", "console.log('\(version)')\n"),
            .deflated("\(name)/app.html", "<!doctype html><title>\(version)</title>\n"),
        ])
    }

    static func manifest(name: String, version: String = "1.0.0") -> String {
        #"{"name": "\#(name)", "version": "\#(version)", "privileges": [],}"#
    }

    func with(_ entry: ForgedEntry) -> ZipForge {
        changed { $0.entries.append(entry) }
    }

    func changed(_ change: (inout ZipForge) -> Void) -> ZipForge {
        var forge = self
        change(&forge)
        return forge
    }

    var bytes: [UInt8] {
        var data = prefix
        var directory: [UInt8] = []
        for entry in entries {
            directory += entry.centralBytes(offset: UInt32(data.count))
            data += entry.localBytes
        }
        data += beforeDirectory
        let start = UInt32(data.count)
        let count = claimedCount ?? UInt16(entries.count)
        return data + directory + beforeEnd + [0x50, 0x4B, 5, 6] + disk.littleBytes
            + disk.littleBytes + count.littleBytes + count.littleBytes
            + (claimedDirectorySize ?? UInt32(directory.count)).littleBytes
            + (claimedDirectoryOffset ?? start).littleBytes
            + UInt16(comment.count).littleBytes + comment + suffix
    }
}
