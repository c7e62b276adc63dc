import Archive
import Auth
import Glibc

// What goes wrong with the process that unpacks. Where an archive is the likely cause, it is the
// archive that is refused: a package that breaks its reader is not one to install.
extension JSAppsError {
    static var noUnpacker: JSAppsError {
        JSAppsError(
            .unpackerUnavailable, "The program nervous-unpacker is not beside nervous.",
            hint: "Build it with: swift build --product nervous-unpacker")
    }

    static func unpackerDoesNotStart(_ error: SystemError) -> JSAppsError {
        JSAppsError(
            .unpackerUnavailable, "nervous-unpacker cannot be started: \(error.reason).",
            cause: error)
    }

    static func unconfined(layer: String, code: UInt32) -> JSAppsError {
        // Its words are not shown: it may have been taken over.
        guard UnpackerFrame.layers.contains(layer) else { return .unpackerBrokeRules() }
        let reason = String(cString: strerror(Int32(truncatingIfNeeded: code & 0xFFF)))
        return JSAppsError(
            .confinement,
            "The kernel does not provide \(layer) (\(reason)), and archives are not unpacked without.",
            hint: "It takes Linux 5.13 or newer with landlock and seccomp.")
    }

    static func unpackerBrokeRules(cause: (any Error)? = nil) -> JSAppsError {
        JSAppsError(
            .malformedArchive,
            "The archive made the program that unpacks it say what it may not.", cause: cause)
    }

    static var unpackerTooSlow: JSAppsError {
        JSAppsError(
            .malformedArchive, "The archive kept the program that unpacks it busy for too long.")
    }

    /// - Parameter status: As waitpid(2) gives it.
    static func unpackerEnded(status: Int32) -> JSAppsError {
        let signal = status & 0x7F
        let how =
            switch signal {
            case 0: "with status \(status >> 8 & 0xFF)"
            case SIGSYS: "because it tried what its confinement forbids"
            default: "by signal \(signal)"
            }
        return JSAppsError(
            .malformedArchive, "The archive ended the program that unpacks it \(how).")
    }
}
