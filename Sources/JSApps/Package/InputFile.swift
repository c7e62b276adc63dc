import Glibc

/// The file or folder that a person names to install from; links are followed, as it is theirs.
enum InputFile {
    static func isFolder(_ path: String) throws(JSAppsError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .io("Could not look at the package", .last("stat"))
            }
            throw JSAppsError(.inputMissing, "There is no such file or folder to install from.")
        }
        if status.st_mode.isFolder { return true }
        let isNamedLikePackage = [".zip", ".nervous"].contains { path.lowercased().hasSuffix($0) }
        guard status.st_mode.isRegularFile, isNamedLikePackage else {
            throw JSAppsError(
                .notAnArchive, "What should be installed is neither a package nor a folder.",
                hint: "A package is a .zip or .nervous file, or a folder.")
        }
        return false
    }

    static func read(_ path: String, limits: PackageLimits) throws(JSAppsError) -> [UInt8] {
        try JSAppsError.wrap("Could not read the package") { () throws(SystemError) in
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .last("open") }
            return try OpenFile(owning: descriptor).read(atMost: limits.archiveBytes)
        }
    }
}
