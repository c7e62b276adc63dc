import Archive
import Glibc
import Text

extension JSAppsError {
    /// The error and message for a fault of an archive.
    init(_ error: ArchiveError, limits: PackageLimits) {
        let name = String(decoding: error.name, as: UTF8.self).escapedForDisplay(limit: 100)
        let (code, message) = Self.codeAndMessage(
            for: error, name: "‘\(name)’ in the archive", limits)
        self.init(code, message, hint: Self.hint(for: error.fault), cause: error)
    }

    private static func codeAndMessage(
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
        case .unpackedTooLarge: (.tooLarge, tooLargeUnpacked(limits).message)

        case .truncated:
            (.malformedArchive, "The archive is truncated or refers to data outside itself.")
        case .endMissing: (.malformedArchive, "The archive is truncated: its end is missing.")
        case .dataAfterEnd:
            (.malformedArchive, "The archive is truncated or data follows its end.")
        case .dataBefore:
            (
                .malformedArchive,
                "The archive has data before it or between its directory and its end."
            )
        case .strayData: (.malformedArchive, "The archive has data that belongs to no entry.")
        case .directoryDamaged: (.malformedArchive, "The archive's directory is damaged.")
        case .entryCountMismatch:
            (.malformedArchive, "The archive's directory does not match its end record.")
        case .overlap: (.malformedArchive, "\(name) overlaps another entry or leaves a gap.")
        case .contradiction:
            (.malformedArchive, "The archive contains contradictory headers for \(name).")
        case .twoNames: (.malformedArchive, "\(name) has two names.")
        case .storedWithTwoSizes: (.malformedArchive, "\(name) is stored with two sizes.")
        case .emptyWithChecksum: (.malformedArchive, "\(name) is empty and has a checksum.")
        case .wrongLength:
            (.malformedArchive, "\(name) does not have the length that the archive gives.")
        case .disagreement:
            (.malformedArchive, "The archive's directory and its content differ.")
        case .damaged where error.name.isEmpty:
            (.malformedArchive, "The archive is damaged.")
        case .damaged: (.malformedArchive, "\(name) is damaged.")

        case .severalDisks: (.unsupportedArchive, "The archive is split over several disks.")
        case .zip64: (.unsupportedArchive, "The archive needs ZIP64.")
        case .commentTooLong:
            (
                .unsupportedArchive,
                "The archive has a comment of \(error.number) bytes; 16000 are allowed."
            )
        case .encrypted: (.unsupportedArchive, "\(name) is encrypted.")
        case .unknownFlags: (.unsupportedArchive, "\(name) has unknown flags.")
        case .unknownMethod:
            (.unsupportedArchive, "\(name) uses compression method \(error.number).")

        case .unixAttributes: (.unsafeEntry, "\(name) has Unix attributes in an extra field.")
        case .unsafeKind: (.unsafeEntry, "\(name) is neither a plain file nor a folder.")
        case .unsafeMode:
            (.unsafeEntry, "\(name) has a set-user, set-group or sticky bit.")
        case .folderWithData: (.unsafeEntry, "\(name) is a folder and has data.")
        }
    }

    private static func hint(for fault: ArchiveFault) -> String? {
        switch fault {
        case .notAnArchive: "A package is a .zip or .nervous file, or a folder."
        case .zip64, .encrypted, .unknownFlags, .unknownMethod, .commentTooLong:
            "Pack the app again with ‘nervous pack’ or ‘zip -r’."
        case .unsafeKind: unsafeKindHint
        case .unsafeMode: unsafeModeHint
        default: nil
        }
    }
}

// Errors of the unpacker's process. If the archive is the likely cause, the archive is rejected: a
// package that breaks its reader must not be installed.
extension JSAppsError {
    static var noUnpacker: JSAppsError {
        JSAppsError(
            .unpackerUnavailable, "The program nervous-unpacker was not found beside nervous.",
            hint: "Build it with: swift build --product nervous-unpacker")
    }

    static func unpackerCannotStart(_ error: SystemError) -> JSAppsError {
        JSAppsError(
            .unpackerUnavailable, "nervous-unpacker cannot be started: \(error.reason).",
            cause: error)
    }

    static func unconfined(layer: String, code: UInt32) -> JSAppsError {
        // An unknown name is not shown: the process may be under an attacker's control.
        guard UnpackerFrame.layers.contains(layer) else { return .invalidUnpackerOutput() }
        let reason = String(cString: strerror(Int32(truncatingIfNeeded: code & 0xFFF)))
        return JSAppsError(
            .confinement,
            "The kernel does not provide \(layer) (\(reason)), which unpacking requires.",
            hint: "Use Linux 5.13 or newer with landlock and seccomp.")
    }

    static func invalidUnpackerOutput(cause: (any Error)? = nil) -> JSAppsError {
        JSAppsError(
            .malformedArchive,
            "The archive caused invalid output of nervous-unpacker.", cause: cause)
    }

    static var unpackerTimedOut: JSAppsError {
        JSAppsError(
            .malformedArchive, "Unpacking the archive took too long.")
    }

    /// - Parameter status: the status of waitpid(2).
    static func unpackerEnded(status: Int32) -> JSAppsError {
        let signal = status & 0x7F
        let how =
            switch signal {
            case 0: "with status \(status >> 8 & 0xFF)"
            case SIGSYS: "with a sandbox violation"
            default: "by signal \(signal)"
            }
        return JSAppsError(
            .malformedArchive, "nervous-unpacker ended \(how) while it read the archive.")
    }
}
