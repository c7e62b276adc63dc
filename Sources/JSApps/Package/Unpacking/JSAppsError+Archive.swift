import Archive
import Auth
import Text

extension JSAppsError {
    /// What a fault of an archive is called and how a person is told.
    init(_ error: ArchiveError, limits: PackageLimits) {
        let name = String(decoding: error.name, as: UTF8.self).escapedForDisplay(limit: 100)
        let (code, message) = Self.words(for: error, name: "‘\(name)’ in the archive", limits)
        self.init(code, message, hint: Self.hint(for: error.fault), cause: error)
    }

    private static func words(
        for error: ArchiveError, name: String, _ limits: PackageLimits
    ) -> (Code, String) {
        switch error.fault {
        case .notAnArchive: (.notAnArchive, "The file is not a ZIP archive.")

        case .archiveTooLarge:
            (.tooLarge, "The archive is larger than \(limits.archiveBytes) bytes.")
        case .tooManyEntries:
            (
                .tooLarge,
                "The package has \(error.number) entries; \(limits.entries) are allowed."
            )
        case .fileTooLarge: (.tooLarge, "\(name) is larger than \(limits.fileBytes) bytes.")
        case .unpackedTooLarge: (.tooLarge, tooMuch(limits).message)

        case .cutOff:
            (.malformedArchive, "The archive is cut off or points outside itself.")
        case .endMissing: (.malformedArchive, "The archive is cut off: its end is missing.")
        case .dataAfterEnd:
            (.malformedArchive, "The archive is cut off or data follows its end.")
        case .dataBefore:
            (
                .malformedArchive,
                "The archive has data before it or between its directory and its end."
            )
        case .strayData: (.malformedArchive, "The archive has data that is in no entry.")
        case .directoryDamaged: (.malformedArchive, "The archive's directory is damaged.")
        case .directoryMiscounted:
            (.malformedArchive, "The archive's directory does not hold what its end says.")
        case .overlap: (.malformedArchive, "\(name) overlaps another entry or leaves a gap.")
        case .contradiction:
            (
                .malformedArchive,
                "The archive says different things about \(name) in different places."
            )
        case .twoNames: (.malformedArchive, "\(name) has two names.")
        case .storedWithTwoSizes: (.malformedArchive, "\(name) is stored with two sizes.")
        case .emptyWithChecksum: (.malformedArchive, "\(name) is empty and has a checksum.")
        case .wrongLength: (.malformedArchive, "\(name) is not as long as the archive says.")
        case .disagreement:
            (.malformedArchive, "The archive's directory and its content differ.")
        case .damaged where error.name.isEmpty:
            (.malformedArchive, "The archive is damaged.")
        case .damaged: (.malformedArchive, "\(name) is damaged.")

        case .severalDisks: (.unsupportedArchive, "The archive is one of several disks.")
        case .zip64: (.unsupportedArchive, "The archive needs ZIP64.")
        case .encrypted: (.unsupportedArchive, "\(name) is encrypted.")
        case .unknownFlags: (.unsupportedArchive, "\(name) has flags that are not known here.")
        case .unknownMethod: (.unsupportedArchive, "\(name) is packed by method \(error.number).")

        case .unixAttributes: (.unsafeEntry, "\(name) has Unix attributes of its own.")
        case .unsafeKind: (.unsafeEntry, "\(name) is neither a plain file nor a folder.")
        case .unsafeMode:
            (.unsafeEntry, "\(name) has a set-user, set-group or sticky bit.")
        case .folderWithData: (.unsafeEntry, "\(name) is a folder and has data.")
        }
    }

    private static func hint(for fault: ArchiveFault) -> String? {
        switch fault {
        case .notAnArchive: "A package is a .zip or .nervous file, or a folder."
        case .zip64, .encrypted, .unknownFlags, .unknownMethod:
            "Pack the app again with ‘nervous pack’ or ‘zip -r’."
        case .unsafeKind: unsafeKindHint
        case .unsafeMode: unsafeModeHint
        default: nil
        }
    }
}
