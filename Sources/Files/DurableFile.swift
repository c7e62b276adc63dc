import Glibc

/// A file that is replaced as a whole, and that its owner alone can open.
public enum DurableFile {
    /// Removes the drafts that a machine left which ended while a file of a folder was replaced.
    ///
    /// To be called when nobody replaces one.
    public static func removeDrafts(in folder: String) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(cString: $0)
                }
            }
            if name.wholeMatch(of: /.+\.new-[0-9a-f]{1,16}/) != nil { unlink("\(folder)/\(name)") }
        }
    }

    /// Gives the file at `path` this content, whether it was there or not.
    ///
    /// Whoever opens it meanwhile finds all of the content before or all of the new one. When this
    /// returns, the new one survives the machine's end. A link at `path` is replaced and not followed.
    /// A machine that ends meanwhile may leave a draft beside it, `<path>.new-` and digits.
    ///
    /// - Throws: `diskFull` or `failed`. The file is as it was, unless its folder alone could not be
    ///   written to the disk: then it is new, and a machine that ends soon may bring the old one back.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(FilesError) {
        let draft = "\(path).new-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        // Whatever lies at the name of the draft is somebody else's.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(draft, flags, 0o600)
        guard descriptor >= 0 else { throw .last("Cannot write \(path)") }
        do throws(FilesError) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, of: path)
            guard rename(draft, path) == 0 else { throw .last("Cannot write \(path)") }
        } catch {
            unlink(draft)
            throw error
        }
        try synchroniseFolder(of: path)
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, of path: String
    ) throws(FilesError) {
        let action = "Cannot write \(path)"
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last(action) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw .last(action) }
    }

    /// A new name is on the disk only when its folder is.
    private static func synchroniseFolder(of path: String) throws(FilesError) {
        let folder = PrivateFolder.parent(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("Cannot open \(folder)") }
        defer { close(descriptor) }
        // File systems that cannot do that with a folder say so with EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .last("Cannot write \(folder)")
        }
    }
}
