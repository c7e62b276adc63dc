import CFiles
import Glibc

extension Folder {
    /// The names in this folder except `.` and `..`, as the bytes they are, in byte order.
    ///
    /// - Parameter limit: Reading stops after one name more than this.
    func names(atMost limit: Int = .max) throws(SystemError) -> [[UInt8]] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else { throw .last("opendir") }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while names.count <= limit, let entry = readdir(stream) {
            guard let name = nervous_entry_name(entry) else { break }
            let bytes = UnsafeBufferPointer(start: name, count: strlen(name))
                .map { UInt8(bitPattern: $0) }
            if bytes != Array(".".utf8), bytes != Array("..".utf8) { names.append(bytes) }
            errno = 0
        }
        guard errno == 0 else { throw .last("readdir") }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Removes an entry of this folder with all that is in it, following no link.
    func removeTree(_ name: String) throws(SystemError) {
        if unlinkat(descriptor, name, 0) == 0 { return }
        guard errno == EISDIR || errno == EPERM || errno == EACCES else { throw .last("unlink") }
        do {
            let inner = try folder(name)
            // Installed folders are read-only, and so are their entries then.
            try inner.setMode(0o700)
            for child in try inner.names() {
                try inner.removeTree(String(decoding: child, as: UTF8.self))
            }
        }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw .last("rmdir") }
    }
}
