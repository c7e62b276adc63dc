import Auth

/// Where a package comes from, opened and checked as far as can be without unpacking it.
enum PackageSource: ~Copyable {
    case archive(bytes: [UInt8], directory: ZipDirectory)
    case folder(FolderReader)

    /// Opens a file or folder by its path.
    static func open(_ path: String, limits: PackageLimits) throws(JSAppsError) -> PackageSource {
        if try InputFile.isFolder(path) {
            return .folder(try FolderReader.open(path, limits: limits))
        }
        return try archive(try InputFile.read(path, limits: limits), limits: limits)
    }

    /// Checks the structure of an archive.
    static func archive(
        _ bytes: [UInt8], limits: PackageLimits
    ) throws(JSAppsError) -> PackageSource {
        .archive(bytes: bytes, directory: try ZipDirectory(bytes, limits: limits))
    }

    /// The name of the one folder that everything lies in.
    func name() throws(JSAppsError) -> AppName {
        switch self {
        case .archive(_, let directory):
            let entries = directory.entries
            return try PackageLayout.check(
                files: entries.filter { !$0.isFolder }.map(\.path),
                folders: entries.filter(\.isFolder).map(\.path))
        case .folder(let reader):
            return try PackageLayout.check(files: reader.files, folders: [])
        }
    }

    /// The SHA-256 of the archive, or `nil` for a folder.
    var archiveSHA256: String? {
        switch self {
        case .archive(let bytes, _): Fingerprint.sha256(bytes)
        case .folder: nil
        }
    }

    /// Hands every file to `receive` by its path inside the app's folder, then says what came.
    func unpack(
        limits: PackageLimits, receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) -> CheckedPackage {
        var intake = PackageIntake(folder: try name(), limits: limits)
        let take = { (path: SafePath, bytes: [UInt8]) throws(JSAppsError) in
            guard let inner = path.withoutFirst else { return }
            try intake.add(inner, bytes)
            try receive(inner, bytes)
        }
        switch self {
        case .archive(let bytes, let directory):
            try ZipExtraction.extract(
                bytes, directory: directory, limits: limits, receive: take)
        case .folder(let reader):
            try reader.read(receive: take)
        }
        return try intake.finish()
    }
}
