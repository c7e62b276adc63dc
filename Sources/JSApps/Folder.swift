import CFiles
import Glibc

/// An open folder.
///
/// Paths are resolved beneath it: they follow no link and cannot escape.
struct Folder: ~Copyable {
    let descriptor: Int32
    private var isLocked = false

    /// Opens a folder by its path, following links.
    static func open(_ path: String) throws(SystemError) -> Folder {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open") }
        return Folder(owning: descriptor)
    }

    /// Creates a folder by its path unless it exists.
    static func make(_ path: String, mode: mode_t) throws(SystemError) {
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // A forked process holds a copy of every descriptor, and of the lock with it, until it
        // calls `exec`; unlocking releases the lock for all copies.
        if isLocked { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    func folder(_ path: String) throws(SystemError) -> Folder {
        Folder(owning: try openBeneath(path, O_RDONLY | O_DIRECTORY, 0))
    }

    /// Opens a file for reading, without waiting if it is a pipe.
    func file(_ path: String) throws(SystemError) -> OpenFile {
        OpenFile(owning: try openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0))
    }

    /// Creates a file, which must not exist, and opens it for writing.
    func newFile(_ path: String) throws(SystemError) -> OpenFile {
        OpenFile(owning: try openBeneath(path, O_WRONLY | O_CREAT | O_EXCL, 0o600))
    }

    /// Writes a new read-only file and syncs it to the disk.
    func writeDurably(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = try newFile(path)
        try file.write(bytes)
        try file.setMode(0o444)
        try file.sync()
    }

    /// Creates a folder in this one.
    func makeFolder(_ name: String, mode: mode_t = 0o755) throws(SystemError) {
        guard mkdirat(descriptor, name, mode) == 0 else { throw .last("mkdir") }
    }

    /// The mode of an entry of this folder; of a link itself, not of its target.
    func mode(of name: String) throws(SystemError) -> mode_t {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .last("stat")
        }
        return status.st_mode
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod") }
    }

    func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
    }

    /// Renames an entry of this folder to a name that must be free.
    func rename(_ name: String, to other: String) throws(SystemError) {
        guard nervous_rename_to_free(descriptor, name, other) == 0 else {
            throw .last("rename")
        }
    }

    /// Exchanges two entries of this folder atomically.
    func exchange(_ name: String, with other: String) throws(SystemError) {
        guard nervous_rename_exchange(descriptor, name, other) == 0 else {
            throw .last("rename")
        }
    }

    /// Locks this folder until it is closed.
    ///
    /// - Parameter waiting: whether to wait for the lock.
    /// - Returns: `false` when another process holds the lock.
    mutating func lock(waiting: Bool) throws(SystemError) -> Bool {
        while flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .last("flock") }
        }
        isLocked = true
        return true
    }

    private func openBeneath(
        _ path: String, _ flags: Int32, _ mode: mode_t
    ) throws(SystemError) -> Int32 {
        let found = nervous_openat2(
            descriptor, path, UInt64(flags | O_CLOEXEC | O_NOFOLLOW), UInt64(mode),
            UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS))
        if found >= 0 { return found }
        // Kernels before 5.6 lack the call, and system call filters may reject it.
        guard errno == ENOSYS || errno == EPERM else { throw .last("open") }
        return try openStepwise(path, flags, mode)
    }

    /// Opens without openat2: folder by folder, following no link.
    func openStepwise(
        _ path: String, _ flags: Int32, _ mode: mode_t
    ) throws(SystemError) -> Int32 {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let last = names.last, !names.contains(where: { $0 == "" || $0 == ".." }) else {
            throw SystemError(call: "open", number: EXDEV)
        }
        var parent = descriptor
        defer { if parent != descriptor { close(parent) } }
        for name in names.dropLast() {
            let next = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw .last("open") }
            if parent != descriptor { close(parent) }
            parent = next
        }
        let found = openat(parent, last, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        guard found >= 0 else { throw .last("open") }
        return found
    }
}

extension Folder {
    /// The names in this folder except `.` and `..`, as raw bytes, in byte order.
    ///
    /// - Parameter limit: the number of names expected at most; if there are more, one more than
    ///   `limit` is returned.
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

    /// Removes an entry of this folder and everything in it, following no link.
    func removeTree(_ name: String) throws(SystemError) {
        if unlinkat(descriptor, name, 0) == 0 { return }
        guard errno == EISDIR || errno == EPERM || errno == EACCES else { throw .last("unlink") }
        do {
            let inner = try folder(name)
            // Installed folders are read-only, so their entries cannot be removed yet.
            try inner.setMode(0o700)
            for child in try inner.names() {
                try inner.removeTree(String(decoding: child, as: UTF8.self))
            }
        }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw .last("rmdir") }
    }
}

/// An open file, closed at the end of its lifetime.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// Takes ownership of a descriptor.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether this is a plain file: no folder, pipe or device.
    func isRegular() throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("stat") }
        return status.st_mode.isRegularFile
    }

    /// Reads to the end of the file, but at most one byte more than `limit`.
    func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let wanted = min(buffer.count, limit + 1 - bytes.count)
            let count = Glibc.read(descriptor, &buffer, wanted)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("read") }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("write") }
            written += count
        }
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod") }
    }

    func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
    }
}

extension mode_t {
    var isRegularFile: Bool { self & S_IFMT == S_IFREG }
    var isFolder: Bool { self & S_IFMT == S_IFDIR }
    /// Whether it has the set-user, set-group or sticky bit.
    var isSpecial: Bool { self & 0o7000 != 0 }
}
