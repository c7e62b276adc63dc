import CFiles
import Glibc

/// An open folder.
///
/// What is named through it lies beneath it: no name leads through a link or out.
struct Folder: ~Copyable {
    let descriptor: Int32
    private var isLocked = false

    /// Opens a folder by its path, following links.
    static func open(_ path: String) throws(SystemError) -> Folder {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open") }
        return Folder(owning: descriptor)
    }

    /// Makes a folder by its path unless it is there.
    static func make(_ path: String, mode: mode_t) throws(SystemError) {
        guard mkdir(path, mode) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // A program that is being started holds every descriptor until it is `exec`ed, and with it
        // the lock, unless the lock itself is let go.
        if isLocked { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    func folder(_ path: String) throws(SystemError) -> Folder {
        Folder(owning: try openBeneath(path, O_RDONLY | O_DIRECTORY, 0))
    }

    /// Opens a file for reading; does not wait where it is a pipe.
    func file(_ path: String) throws(SystemError) -> OpenFile {
        OpenFile(owning: try openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0))
    }

    /// Makes a file that was not there and opens it for writing.
    func newFile(_ path: String) throws(SystemError) -> OpenFile {
        OpenFile(owning: try openBeneath(path, O_WRONLY | O_CREAT | O_EXCL, 0o600))
    }

    /// Writes a new read-only file and waits until its content is on the disk.
    func writeDurably(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = try newFile(path)
        try file.write(bytes)
        try file.setMode(0o444)
        try file.sync()
    }

    /// Makes a folder in this one.
    func makeFolder(_ name: String, mode: mode_t = 0o755) throws(SystemError) {
        guard mkdirat(descriptor, name, mode) == 0 else { throw .last("mkdir") }
    }

    /// What an entry of this folder is, itself and not what it points to.
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

    /// Gives an entry of this folder another name, which must be free.
    func rename(_ name: String, to other: String) throws(SystemError) {
        guard nervous_rename_to_free(descriptor, name, other) == 0 else {
            throw .last("rename")
        }
    }

    /// Lets two entries of this folder change names in one step.
    func exchange(_ name: String, with other: String) throws(SystemError) {
        guard nervous_rename_exchange(descriptor, name, other) == 0 else {
            throw .last("rename")
        }
    }

    /// Waits until no one else holds the lock of this folder, or returns false at once.
    ///
    /// The lock lasts as long as this folder is open.
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
        // Kernels before 5.6, and filters that do not know the call.
        guard errno == ENOSYS || errno == EPERM else { throw .last("open") }
        return try openStepwise(path, flags, mode)
    }

    /// Opens without openat2: every folder on the way is opened by itself, following no link.
    func openStepwise(
        _ path: String, _ flags: Int32, _ mode: mode_t
    ) throws(SystemError) -> Int32 {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let last = names.last, !names.contains(where: { $0 == "" || $0 == ".." }) else {
            throw SystemError(call: "open", number: EXDEV)
        }
        var place = descriptor
        defer { if place != descriptor { close(place) } }
        for name in names.dropLast() {
            let next = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw .last("open") }
            if place != descriptor { close(place) }
            place = next
        }
        let found = openat(place, last, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        guard found >= 0 else { throw .last("open") }
        return found
    }
}
