/// One entry of an archive whose structure was checked.
struct ZipEntry {
    let header: ZipHeader
    let path: SafePath
    let isFolder: Bool
    /// Where its local header begins.
    let offset: Int

    /// Reads one record of the central directory.
    init(_ reader: inout ZipReader, limits: PackageLimits) throws(JSAppsError) {
        guard try reader.uint32() == 0x0201_4B50 else {
            throw JSAppsError(.malformedArchive, "The archive's directory is damaged.")
        }
        _ = try reader.uint32()
        var commentLength = 0
        var disk: UInt16 = 0
        var attributes: UInt32 = 0
        var offset: UInt32 = 0
        header = try ZipHeader(&reader) { reader throws(JSAppsError) in
            commentLength = Int(try reader.uint16())
            disk = try reader.uint16()
            _ = try reader.uint16()
            attributes = try reader.uint32()
            offset = try reader.uint32()
        }
        _ = try reader.take(commentLength)
        self.offset = Int(offset)
        guard disk == 0, offset != .max else {
            throw JSAppsError(.unsupportedArchive, "The archive is one of several disks.")
        }
        isFolder = header.name.last == UInt8(ascii: "/")
        path = try SafePath(
            checking: isFolder ? header.name.dropLast() : header.name, limits: limits)
        try Self.check(attributes, isFolder: isFolder, path: path)
        // Two bytes are what deflate makes of nothing.
        guard !isFolder || (header.size == 0 && header.packedSize <= 2) else {
            throw JSAppsError(.unsafeEntry, "The folder ‘\(path.shown)’ in the archive has data.")
        }
        guard header.method != ZipHeader.stored || header.size == header.packedSize else {
            throw JSAppsError(
                .malformedArchive, "‘\(path.shown)’ in the archive is stored with two sizes.")
        }
        // libarchive compares no checksum where there is nothing to read.
        guard header.size > 0 || header.crc == 0 else {
            throw JSAppsError(
                .malformedArchive, "‘\(path.shown)’ in the archive is empty and has a checksum.")
        }
        guard header.size <= limits.fileBytes else { throw .tooLarge(path, limits) }
    }

    /// The attributes hold the mode of Unix in the upper half and that of DOS in the lower.
    private static func check(
        _ attributes: UInt32, isFolder: Bool, path: SafePath
    ) throws(JSAppsError) {
        let mode = attributes >> 16
        let kind: UInt32 = isFolder ? 0o040000 : 0o100000
        let isDOSFolder = attributes & 0x10 != 0
        let isVolumeLabel = attributes & 0x08 != 0
        guard mode & 0o170000 == 0 || mode & 0o170000 == kind, isFolder || !isDOSFolder,
            !isVolumeLabel
        else { throw .unsafeKind(path) }
        guard mode & 0o7000 == 0 else { throw .unsafeMode(path) }
    }
}

extension JSAppsError {
    static func tooLarge(_ path: SafePath, _ limits: PackageLimits) -> JSAppsError {
        JSAppsError(.tooLarge, "‘\(path.shown)’ is larger than \(limits.fileBytes) bytes.")
    }

    static func unsafeKind(_ path: SafePath) -> JSAppsError {
        JSAppsError(
            .unsafeEntry, "‘\(path.shown)’ in the package is neither a plain file nor a folder.",
            hint: "Links, devices and pipes cannot be installed.")
    }

    static func unsafeMode(_ path: SafePath) -> JSAppsError {
        JSAppsError(
            .unsafeEntry,
            "‘\(path.shown)’ in the package has a set-user, set-group or sticky bit.",
            hint: "Remove it with ‘chmod a-st’.")
    }
}
