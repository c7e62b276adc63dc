import Glibc

/// A folder that only its owner may enter.
public enum PrivateFolder {
    /// Makes a folder, and those above it that are missing, for the owner alone; what is there stays
    /// as it is.
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

    /// Looks whether nobody else can put another file in the place of the one at `path`.
    ///
    /// - Throws: `unsafe` when others may change its folder; `failed`.
    public static func checkParent(of path: String) throws(FilesError) {
        let folder = parent(of: path)
        var information = stat()
        guard stat(folder, &information) == 0 else { throw .last("Cannot open \(folder)") }
        guard information.st_uid == geteuid() || information.st_uid == 0 else {
            throw FilesError(
                .unsafe, "The folder \(folder) belongs to somebody else.",
                reason: "its folder belongs to somebody else",
                hint: "Check who made it; make it yours with: chown $USER \(folder)")
        }
        // In a sticky folder such as /tmp others cannot replace what is not theirs.
        let isOpen = information.st_mode & 0o022 != 0 && information.st_mode & S_ISVTX == 0
        guard !isOpen else {
            throw FilesError(
                .unsafe, "Others on this machine can change the folder \(folder).",
                reason: "others on this machine can change its folder",
                hint: "If that was not on purpose: chmod 700 \(folder)")
        }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
