import Glibc

/// Files that are replaced atomically and durably, with mode 0600.
///
/// ```swift
/// try DurableFile.replace(path, with: Array(json.utf8))
/// ```
public enum DurableFile {
    /// Removes temporary files left in a folder by a process that died during ``replace(_:with:)``.
    ///
    /// Do not call it while a file of the folder is being replaced.
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

    /// Creates or replaces the file at `path`.
    ///
    /// Readers see either the complete old content or the complete new content. When the call returns, the
    /// new content survives a power cut. A symbolic link at `path` is replaced, not followed. A crash may
    /// leave a temporary file named `<path>.new-` and hexadecimal digits.
    ///
    /// - Throws: `diskFull` or `failed`. The file is then unchanged. Only if flushing its folder failed has it
    ///   been replaced, and a power cut may restore the old content.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(FilesError) {
        let draft = "\(path).new-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        // O_EXCL and O_NOFOLLOW: anything that exists under the temporary name is not ours.
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

    /// Flushes the folder: a rename is durable only when its folder is.
    public static func synchroniseFolder(of path: String) throws(FilesError) {
        let folder = PrivateFolder.parent(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("Cannot open \(folder)") }
        defer { close(descriptor) }
        // Some file systems cannot flush folders and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .last("Cannot write \(folder)")
        }
    }
}
