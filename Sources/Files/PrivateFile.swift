import Glibc

/// Files that only their owner can open.
///
/// ```swift
/// try PrivateFolder.make("/home/me/.local/share/app")
/// try PrivateFile.checkDatabase("/home/me/.local/share/app/samples.sqlite")
/// ```
public enum PrivateFile {
    /// The suffixes of the companion files that SQLite creates for a database.
    private static let companions = ["-wal", "-shm"]

    /// Creates a file with mode 0600, or checks an existing one; does not follow a symbolic link.
    ///
    /// - Throws: `unsafe` when the file belongs to another user or others can open it; `diskFull`;
    ///   `failed`.
    public static func check(_ path: String) throws(FilesError) {
        try check(path, O_CREAT)
    }

    /// Checks an SQLite database, its write-ahead log and its shared-memory file as ``check(_:)``
    /// does.
    ///
    /// Call it before the database is opened: closing a descriptor drops the process's locks on the
    /// file.
    public static func checkDatabase(_ path: String) throws(FilesError) {
        try check(path)
        for companion in companions where access(path + companion, F_OK) == 0 {
            try check(path + companion, 0)
        }
    }

    /// Whether an open file belongs to the user of this process and no other user can open it.
    public static func isPrivate(_ descriptor: Int32) -> Bool {
        var information = stat()
        return fstat(descriptor, &information) == 0 && information.isOurs && information.isClosed
    }

    private static func check(_ path: String, _ flags: Int32) throws(FilesError) {
        let descriptor = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("Cannot open \(path)") }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.isOurs else {
            throw FilesError(
                .unsafe, "The file \(path) belongs to another user.",
                reason: "it belongs to another user",
                hint: "Check where it comes from, then take ownership with: chown $USER \(path)")
        }
        guard information.isClosed else {
            throw FilesError(
                .unsafe, "The file \(path) is accessible to other users.",
                reason: "it is accessible to other users",
                hint: "Unless that is intended, run: chmod 600 \(path)")
        }
    }
}

extension stat {
    fileprivate var isOurs: Bool { st_uid == geteuid() }
    fileprivate var isClosed: Bool { st_mode & 0o077 == 0 }
}

/// Folders that only their owner can enter.
public enum PrivateFolder {
    /// Creates a folder and its missing parents with mode 0700; existing folders are not changed.
    ///
    /// - Throws: `diskFull`, `failed`.
    public static func make(_ path: String) throws(FilesError) {
        var missing: [String] = []
        var folder = path
        while access(folder, F_OK) != 0, folder.count > 1 {
            guard errno == ENOENT else { throw .last("Cannot make \(folder)") }
            missing.append(folder)
            folder = parent(of: folder)
        }
        for folder in missing.reversed() where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw .last("Cannot make \(folder)")
        }
    }

    /// Checks that no other user can replace the file at `path`.
    ///
    /// - Throws: `unsafe` when another user owns its folder or can write to it; `failed`.
    public static func checkParent(of path: String) throws(FilesError) {
        let folder = parent(of: path)
        var information = stat()
        guard stat(folder, &information) == 0 else { throw .last("Cannot open \(folder)") }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw FilesError(
                .unsafe, "The folder \(folder) belongs to another user.",
                reason: "its folder belongs to another user",
                hint: "Check where it comes from, then take ownership with: chown $USER \(folder)")
        }
        // In a folder with the sticky bit, such as /tmp, users can only replace their own files.
        let isOpen = information.st_mode & 0o022 != 0 && information.st_mode & S_ISVTX == 0
        guard !isOpen else {
            throw FilesError(
                .unsafe, "The folder \(folder) is writable by other users.",
                reason: "its folder is writable by other users",
                hint: "Unless that is intended, run: chmod 700 \(folder)")
        }
    }

    /// Why a folder is not accessible to this user only.
    public enum Fault: Sendable, Equatable {
        /// It does not exist.
        case missing
        /// It cannot be examined; the number is `errno`.
        case unreadable(Int32)
        /// A file, or a link.
        case notAFolder
        /// It belongs to the user of this number.
        case foreign(UInt32)
        /// Other users can enter it, or read or write in it.
        case open
    }

    /// Examines a folder; does not follow a symbolic link.
    ///
    /// - Returns: `nil` if it belongs to the user of this process and no other user can enter it.
    public static func fault(of path: String) -> Fault? {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(errno)
        }
        guard information.st_mode & S_IFMT == S_IFDIR else { return .notAFolder }
        guard information.isOurs else { return .foreign(information.st_uid) }
        return information.isClosed ? nil : .open
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Files that contain one password or token.
public enum SecretFile {
    private static let longest = 1024

    /// Reads the only line of a file: 1 to 1024 bytes of UTF-8 without control characters.
    ///
    /// - Throws: `failed` when the file cannot be read or contains anything else. The message never
    ///   contains its content.
    public static func line(in path: String) throws(FilesError) -> String {
        // O_NONBLOCK: opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last("Cannot read \(path)") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest + 2)
        var count = 0
        while count < bytes.count {
            let more = bytes[count...].withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, $0.count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw .last("Cannot read \(path)") }
            guard more > 0 else { break }
            count += more
        }
        var text = String(validating: bytes[..<count], as: UTF8.self) ?? ""
        while text.last?.isNewline == true { text.removeLast() }
        guard (1...longest).contains(text.utf8.count), !text.utf8.contains(where: { $0 < 0x20 })
        else {
            let reason = "it does not contain one line of 1 to \(longest) bytes"
            throw FilesError(.failed, "Cannot read \(path): \(reason).", reason: reason, hint: nil)
        }
        return text
    }
}
