import Glibc

/// A file that only its owner may open.
public enum PrivateFile {
    /// What SQLite puts beside a database.
    private static let companions = ["-wal", "-shm"]

    /// Makes a file for its owner alone where there is none, and looks whether the one that is there is
    /// so; follows no link.
    ///
    /// - Throws: `unsafe` when it belongs to somebody else or others can open it; `diskFull`, `failed`.
    public static func check(_ path: String) throws(FilesError) {
        try check(path, O_CREAT)
    }

    /// The same for a database of SQLite and for what SQLite has put beside it.
    ///
    /// To be called before the database is opened: locks of this process on it would be lost.
    public static func checkDatabase(_ path: String) throws(FilesError) {
        try check(path)
        for companion in companions where access(path + companion, F_OK) == 0 {
            try check(path + companion, 0)
        }
    }

    /// Whether what is open belongs to the owner of this process and is closed to all others.
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
                .unsafe, "The file \(path) belongs to somebody else.",
                reason: "it belongs to somebody else",
                hint: "Check who put it there; make it yours with: chown $USER \(path)")
        }
        guard information.isClosed else {
            throw FilesError(
                .unsafe, "Others on this machine can open the file \(path).",
                reason: "others on this machine can open it",
                hint: "If that was not on purpose: chmod 600 \(path)")
        }
    }
}

extension stat {
    fileprivate var isOurs: Bool { st_uid == geteuid() }
    fileprivate var isClosed: Bool { st_mode & 0o077 == 0 }
}
