import Glibc

/// Why an app, a package or a key was rejected.
///
/// The message names the thing, contains no path of this machine and is safe to print: names from a
/// package are escaped in it.
public struct JSAppsError: Error, Sendable {
    /// The kind of error; its raw value is stable across releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file or folder to install from does not exist.
        case inputMissing = "input-missing"
        /// The input is neither a ZIP file nor a folder.
        case notAnArchive = "not-an-archive"
        /// The ZIP file is truncated, contradicts itself or has a wrong checksum.
        case malformedArchive = "malformed-archive"
        /// The ZIP file uses what packages may not use: encryption, a compression method other than
        /// deflate, ZIP64, or several disks.
        case unsupportedArchive = "unsupported-archive"
        /// The package, or a part of it, exceeds a limit.
        case tooLarge = "too-large"
        /// A name in the package escapes its folder, hides characters or is too long.
        case unsafePath = "unsafe-path"
        /// An entry of the package is neither a plain file nor a folder.
        case unsafeEntry = "unsafe-entry"
        /// Two names in the package are the same to some file system.
        case duplicateName = "duplicate-name"
        /// The package is not one folder with the name of the app.
        case wrongFolderName = "wrong-folder-name"
        /// The package, or an installed app, lacks a file.
        case missingFile = "missing-file"
        /// `package.json` is invalid.
        case badManifest = "bad-manifest"
        /// The package's signature is invalid, or belongs to other content.
        case badSignature = "bad-signature"
        /// The installed version was signed by a key that did not sign this package.
        case signerChanged = "signer-changed"
        /// The index of a catalogue is invalid.
        case badCatalogue = "bad-catalogue"
        /// A catalogue is signed by another key than the pinned one.
        case catalogueKeyChanged = "catalogue-key-changed"
        /// An index of a catalogue is older than the newest one seen.
        case staleCatalogue = "stale-catalogue"
        /// No catalogue has that name.
        case noSuchCatalogue = "no-such-catalogue"
        /// The catalogue has no package of that name.
        case noSuchPackage = "no-such-package"
        /// A package is not the one that its catalogue lists.
        case packageMismatch = "package-mismatch"
        /// The package is older than the installed version.
        case downgrade = "downgrade"
        /// Another app already has the name that this one would get, or it is reserved.
        case nameTaken = "name-taken"
        /// A key, or its name, is malformed.
        case badKey = "bad-key"
        /// No key has that name.
        case noSuchKey = "no-such-key"
        /// The name, or the key itself, is already stored.
        case keyExists = "key-exists"
        /// The keys belong to another user, or other users can open them.
        case unsafeKeys = "unsafe-keys"
        /// No app of that name is installed.
        case notInstalled = "not-installed"
        /// The files of an installed app have changed since its installation.
        case damaged = "damaged"
        /// The program that unpacks archives is missing or cannot be started.
        case unpackerUnavailable = "unpacker-unavailable"
        /// The name is already in use.
        case conflict = "conflict"
        /// The kernel lacks a layer of the sandbox that archives are read in.
        case confinement = "confinement"
        /// A system call failed.
        case io = "io"
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that names the thing.
    public let message: String
    /// How the owner can resolve it.
    public let hint: String?
    /// The underlying error, if any.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension JSAppsError.Code: CustomStringConvertible {
    /// The stable name, such as `unsafe-path`.
    public var description: String { rawValue }
}

extension JSAppsError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

/// A system call that failed.
struct SystemError: Error, Sendable, CustomStringConvertible {
    let call: String
    let number: Int32

    /// The current `errno`.
    static func last(_ call: String) -> SystemError { SystemError(call: call, number: errno) }

    var description: String { "\(call): \(reason)" }

    var isMissing: Bool { number == ENOENT }
    var isTaken: Bool { number == EEXIST }

    var reason: String { String(cString: strerror(number)) }
}

extension JSAppsError {
    /// An `io` error; `what` is a sentence without its end, such as “Could not write ‘app.js’”.
    static func io(_ what: String, _ cause: SystemError) -> JSAppsError {
        JSAppsError(.io, "\(what): \(cause.reason).", cause: cause)
    }

    /// Wraps the system errors of `body`; `what` begins the message.
    static func wrap<Result: ~Copyable>(
        _ what: String, _ body: () throws(SystemError) -> Result
    ) throws(JSAppsError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .io(what, error)
        }
    }
}

// Errors that folders and archives have in common.
extension JSAppsError {
    static let unsafeKindHint = "Links, devices and pipes cannot be installed."
    static let unsafeModeHint = "Remove it with ‘chmod a-st’."

    static func tooLarge(_ path: SafePath, _ limits: PackageLimits) -> JSAppsError {
        JSAppsError(.tooLarge, "‘\(path.shown)’ is larger than \(limits.fileBytes) bytes.")
    }

    static func tooLargeUnpacked(_ limits: PackageLimits) -> JSAppsError {
        JSAppsError(
            .tooLarge, "The package holds more than \(limits.unpackedBytes) bytes, unpacked.")
    }

    static func tooManyEntries(_ limits: PackageLimits) -> JSAppsError {
        JSAppsError(.tooLarge, "The package has more than \(limits.entries) entries.")
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
