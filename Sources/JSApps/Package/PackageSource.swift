import Auth

/// Where a package comes from.
enum PackageSource: ~Copyable {
    case archive(bytes: [UInt8], unpacker: Unpacker)
    case folder(FolderReader)

    /// Opens a file or folder by its path.
    static func open(
        _ path: String, limits: PackageLimits, unpacker: Unpacker
    ) throws(JSAppsError) -> PackageSource {
        if try InputFile.isFolder(path) {
            return .folder(try FolderReader.open(path, limits: limits))
        }
        return .archive(bytes: try InputFile.read(path, limits: limits), unpacker: unpacker)
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
        var intake = PackageIntake(limits: limits)
        func take(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
            guard let inner = path.withoutFirst else { return }
            try intake.add(inner, bytes)
            try receive(inner, bytes)
        }
        switch self {
        case .archive(let bytes, let unpacker):
            var layout: PackageLayout?
            try unpacker.unpack(bytes, limits: limits) { event throws(JSAppsError) in
                switch event {
                case .listed(let files, let folders):
                    layout = try PackageLayout(files: files, folders: folders)
                case .file(let path, let bytes): try take(path, bytes)
                }
            }
            guard let layout else { throw .unpackerBrokeRules() }
            return try intake.finish(layout)
        case .folder(let reader):
            let layout = try reader.layout()
            try reader.read(receive: take)
            return try intake.finish(layout)
        }
    }
}
