import Auth
import Text

/// What went wrong with an app or its package.
///
/// The message names the thing, holds no path of this machine and is safe to print: names from a
/// package are escaped in it.
public struct JSAppsError: Error, Sendable {
    /// What kind of fault this is; stable across releases.
    public let code: Code
    /// One sentence that names the thing.
    public let message: String
    /// What a person can do about it.
    public let hint: String?
    /// The error below, where there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension JSAppsError {
    /// The kinds of fault.
    public struct Code: Sendable, Hashable {
        private enum Kind: String {
            case inputMissing = "input-missing"
            case notAnArchive = "not-an-archive"
            case malformedArchive = "malformed-archive"
            case unsupportedArchive = "unsupported-archive"
            case tooLarge = "too-large"
            case unsafePath = "unsafe-path"
            case unsafeEntry = "unsafe-entry"
            case duplicateName = "duplicate-name"
            case wrongFolderName = "wrong-folder-name"
            case missingFile = "missing-file"
            case badManifest = "bad-manifest"
            case badSignature = "bad-signature"
            case signerChanged = "signer-changed"
            case downgrade = "downgrade"
            case nameTaken = "name-taken"
            case badKey = "bad-key"
            case noSuchKey = "no-such-key"
            case keyExists = "key-exists"
            case unsafeKeys = "unsafe-keys"
            case notInstalled = "not-installed"
            case damaged = "damaged"
            case unpackerUnavailable = "unpacker-unavailable"
            case noRun = "no-run"
            case conflict = "conflict"
            case confinement = "confinement"
            case io = "io"
        }

        private let kind: Kind

        /// There is no file or folder to install from.
        public static let inputMissing = Code(kind: .inputMissing)
        /// The input is neither a ZIP file nor a folder.
        public static let notAnArchive = Code(kind: .notAnArchive)
        /// The ZIP file is cut off, contradicts itself or has a bad checksum.
        public static let malformedArchive = Code(kind: .malformedArchive)
        /// The ZIP file uses what packages may not: encryption, other methods, ZIP64, many disks.
        public static let unsupportedArchive = Code(kind: .unsupportedArchive)
        /// The package, or something in it, is larger than the limits.
        public static let tooLarge = Code(kind: .tooLarge)
        /// A name in the package leads out of it, hides something or is too long.
        public static let unsafePath = Code(kind: .unsafePath)
        /// Something in the package is no plain file or folder.
        public static let unsafeEntry = Code(kind: .unsafeEntry)
        /// Two names in the package are the same to some file system.
        public static let duplicateName = Code(kind: .duplicateName)
        /// The package is not one folder named like the app.
        public static let wrongFolderName = Code(kind: .wrongFolderName)
        /// The package, or an installed app, has no such file.
        public static let missingFile = Code(kind: .missingFile)
        /// `package.json` cannot be accepted.
        public static let badManifest = Code(kind: .badManifest)
        /// The package's signature is not one, or is one of something else.
        public static let badSignature = Code(kind: .badSignature)
        /// Another key signed the package than the one that is installed, or none did.
        public static let signerChanged = Code(kind: .signerChanged)
        /// The package is older than the version that is installed.
        public static let downgrade = Code(kind: .downgrade)
        /// Another app has the name that a published one would get here.
        public static let nameTaken = Code(kind: .nameTaken)
        /// A key, or the name for one, is not of the form it has to have.
        public static let badKey = Code(kind: .badKey)
        /// There is no key of that name.
        public static let noSuchKey = Code(kind: .noSuchKey)
        /// There is a key of that name, or the key has another name.
        public static let keyExists = Code(kind: .keyExists)
        /// Keys belong to somebody else or others can open them.
        public static let unsafeKeys = Code(kind: .unsafeKeys)
        /// No app of that name is installed.
        public static let notInstalled = Code(kind: .notInstalled)
        /// The files of an installed app are not those that were installed.
        public static let damaged = Code(kind: .damaged)
        /// Archives cannot be unpacked here: the program for it is missing.
        public static let unpackerUnavailable = Code(kind: .unpackerUnavailable)
        /// There is no such run.
        public static let noRun = Code(kind: .noRun)
        /// What was asked for does not fit what there is, such as starting a run twice.
        public static let conflict = Code(kind: .conflict)
        /// The kernel lacks what confines an app, or the program that reads its package.
        public static let confinement = Code(kind: .confinement)
        /// The machine refused to read or write.
        public static let io = Code(kind: .io)
    }
}

extension JSAppsError.Code: CustomStringConvertible {
    /// A stable name such as `unsafe-path`.
    public var description: String { kind.rawValue }
}

extension JSAppsError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension JSAppsError {
    static func noRun(_ id: String) -> JSAppsError {
        JSAppsError(
            .noRun, "There is no run \(id.escapedForDisplay(limit: 40)).",
            hint: "‘nervous apps’ shows what runs.")
    }
}
