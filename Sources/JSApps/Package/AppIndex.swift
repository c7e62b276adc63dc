public import Foundation

/// What was installed, written beside an app's files in one step with them.
public struct AppIndex: Sendable, Hashable, Codable {
    /// The form of this index; 1.
    public let format: Int
    /// The app's name.
    public let name: String
    /// The app's version.
    public let version: String
    /// The key that signed the package, as text; `nil` where none did.
    public let signer: String?
    /// What decisions about the app are bound to; `nil` where an earlier version of the host
    /// installed it.
    ///
    /// It stays the same through the updates that inherit decisions, and no other app ever has it.
    public let identity: String?
    /// The version that this one has updated; `nil` where it inherits from none.
    public let updatedFrom: String?
    /// When it was installed, to the second.
    public let installed: Date
    /// The SHA-256 of the archive in hexadecimal, or `nil` where it came from a folder.
    public let archiveSHA256: String?
    /// The SHA-256 over the path and checksum of every file, in hexadecimal; it is the same for the
    /// same files however they were packed.
    public let contentSHA256: String
    /// The form of the package; `nil` for the form of today.
    public let generation: PackageGeneration?
    /// The folder that a published app came in; `nil` for others, whose folder has their name.
    public let folder: String?
    /// The CSP sources of what the pages of a published app may run beside script files, by the path
    /// of the page; `nil` for others.
    public let inlineScripts: [String: [String]]?
    /// Every file, in byte order of the paths.
    public let files: [AppFile]
}
