// What can be wrong with a package, wherever it comes from.
extension JSAppsError {
    static let unsafeKindHint = "Links, devices and pipes cannot be installed."
    static let unsafeModeHint = "Remove it with ‘chmod a-st’."

    static func tooLarge(_ path: SafePath, _ limits: PackageLimits) -> JSAppsError {
        JSAppsError(.tooLarge, "‘\(path.shown)’ is larger than \(limits.fileBytes) bytes.")
    }

    static func tooMuch(_ limits: PackageLimits) -> JSAppsError {
        JSAppsError(
            .tooLarge, "The package holds more than \(limits.unpackedBytes) bytes, unpacked.")
    }

    static func unsafeKind(_ path: SafePath) -> JSAppsError {
        JSAppsError(
            .unsafeEntry, "‘\(path.shown)’ in the package is neither a plain file nor a folder.",
            hint: unsafeKindHint)
    }

    static func unsafeMode(_ path: SafePath) -> JSAppsError {
        JSAppsError(
            .unsafeEntry,
            "‘\(path.shown)’ in the package has a set-user, set-group or sticky bit.",
            hint: unsafeModeHint)
    }
}
