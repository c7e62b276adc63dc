import CFiles
import Files
import Foundation
import Glibc
import Text

/// A key and the owner's name for it.
public struct NamedKey: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The public key.
    public let key: SignerKey
    /// Whether the private key is stored too, so that the owner can sign with it.
    public let isOwn: Bool
}

/// The owner's keys: private keys for signing, and names for the public keys of others.
///
/// `<data>/keys/` has mode 0700. In it, `NAME` contains a private key and `NAME.pub` a public one,
/// both with mode 0600. The folder, or a file in it, is not used if other users could read or
/// change it. Every call blocks.
///
/// ```swift
/// let keys = KeyFolder(data: "/home/ada/.local/share/nervous")
/// let key = try keys.create("home-2026")
/// let archive = try Packer().pack(folder, signingWith: keys.signingKey("home-2026"))
/// ```
public struct KeyFolder: Sendable {
    private static let folderName = "keys"
    private static let ending = ".pub"
    private static let largest = 256

    private let data: String

    /// - Parameter data: the absolute path of the data directory, which need not exist.
    public init(data: String) {
        self.data = data
    }

    /// Creates a key for signing.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey` for an invalid name, `keyExists`, `unsafeKeys`
    ///   or `io`.
    public func create(_ name: String) throws(JSAppsError) -> NamedKey {
        let name = try Self.checked(name)
        let folder = try openedOrCreated()
        guard try !keys().contains(where: { $0.name == name }) else { throw Self.taken }
        let key = try SigningKey()
        // The private key comes last: an interruption leaves only a name, which can be removed.
        try Self.write(key.signer.text, to: name + Self.ending, in: folder)
        try Self.write(key.text, to: name, in: folder)
        return NamedKey(name: name, key: key.signer, isOwn: true)
    }

    /// Names the public key of another signer, whom messages call by that name from then on.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey`, `keyExists`, `unsafeKeys` or `io`.
    public func name(_ name: String, _ text: String) throws(JSAppsError) -> NamedKey {
        let name = try Self.checked(name)
        guard let key = SignerKey(text) else {
            throw JSAppsError(
                .badKey, "This is not a public key, or it was not copied completely.",
                hint: "A public key begins with nvpub_ and has 76 characters;"
                    + " its signer prints it with: nervous keys export NAME")
        }
        let known = try keys()
        guard !known.contains(where: { $0.name == name }) else { throw Self.taken }
        if let known = known.first(where: { $0.key == key }) {
            throw JSAppsError(.keyExists, "This key already has a name: \(known.name).")
        }
        try Self.write(key.text, to: name + Self.ending, in: try openedOrCreated())
        return NamedKey(name: name, key: key, isOwn: false)
    }

    /// All keys, by name.
    ///
    /// - Throws: ``JSAppsError`` with code `unsafeKeys`, `badKey` or `io`.
    public func keys() throws(JSAppsError) -> [NamedKey] {
        guard let folder = try opened() else { return [] }
        let names = try JSAppsError.wrap("Could not list the keys") { () throws(SystemError) in
            try folder.names().map { String(decoding: $0, as: UTF8.self) }
        }
        let stems = names.map { name in
            name.hasSuffix(Self.ending) ? String(name.dropLast(Self.ending.count)) : name
        }
        var keys: [NamedKey] = []
        for name in Set(stems).sorted() where AppName(name) != nil {
            // A private key restored from a backup may lack its public half.
            let key =
                names.contains(name + Self.ending)
                ? try Self.signer(name, in: folder) : try signingKey(name).signer
            keys.append(NamedKey(name: name, key: key, isOwn: names.contains(name)))
        }
        return keys
    }

    /// Whether a private key of that name exists, readable or not.
    ///
    /// - Throws: ``JSAppsError`` with code `unsafeKeys` or `io`.
    public func isOwn(_ name: String) throws(JSAppsError) -> Bool {
        guard AppName(name) != nil, let folder = try opened() else { return false }
        return (try? folder.mode(of: name)) != nil
    }

    /// The key of that name.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchKey`, `unsafeKeys`, `badKey` or `io`.
    public func key(_ name: String) throws(JSAppsError) -> NamedKey {
        guard let key = try keys().first(where: { $0.name == name }) else {
            throw Self.missing(name)
        }
        return key
    }

    /// The private key of that name.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchKey`, `unsafeKeys`, `badKey` or `io`.
    public func signingKey(_ name: String) throws(JSAppsError) -> SigningKey {
        guard AppName(name) != nil, let folder = try opened() else { throw Self.missing(name) }
        return try SigningKey(try Self.read(name, name, in: folder))
    }

    /// Removes a key; existing signatures remain valid.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchKey`, `unsafeKeys` or `io`.
    public func remove(_ name: String) throws(JSAppsError) {
        guard AppName(name) != nil, let folder = try opened() else { throw Self.missing(name) }
        var removed = false
        for file in [name, name + Self.ending] {
            if unlinkat(folder.descriptor, file, 0) == 0 {
                removed = true
            } else if errno != ENOENT {
                throw .io("Could not remove the key ‘\(name)’", .last("unlink"))
            }
        }
        guard removed else { throw Self.missing(name) }
        try JSAppsError.wrap("Could not remove the key") { () throws(SystemError) in
            try folder.sync()
        }
    }
    // MARK: - Files

    private static func checked(_ name: String) throws(JSAppsError) -> String {
        guard let checked = AppName(name) else {
            throw JSAppsError(
                .badKey, "A key's name is a word in kebab-case of up to 64 characters.",
                hint: "Use a–z and 0–9, words joined by ‘-’, such as ‘home-2026’.")
        }
        return checked.text
    }

    /// Opens the folder, and creates it if it is missing.
    private func openedOrCreated() throws(JSAppsError) -> Folder {
        if let folder = try opened() { return folder }
        do throws(FilesError) {
            try PrivateFolder.make(data)
        } catch {
            throw JSAppsError(
                .io, "Could not create the data directory: \(error.reason).", cause: error)
        }
        try JSAppsError.wrap("Could not create the folder of the keys") { () throws(SystemError) in
            try Folder.make(data + "/" + Self.folderName, mode: 0o700)
        }
        guard let folder = try opened() else { throw .unsafeKeys("folder of the keys") }
        return folder
    }

    /// Opens the folder; `nil` if it is missing.
    private func opened() throws(JSAppsError) -> Folder? {
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder.open(data).folder(Self.folderName)
        } catch {
            guard !error.isMissing else { return nil }
            throw .io("Could not open the folder of the keys", error)
        }
        guard PrivateFile.isPrivate(folder.descriptor) else {
            throw .unsafeKeys("folder of the keys", remedy: "chmod 700")
        }
        return folder
    }

    private static func signer(
        _ name: String, in folder: borrowing Folder
    ) throws(JSAppsError) -> SignerKey {
        guard let key = SignerKey(try read(name, name + ending, in: folder)) else {
            throw JSAppsError(
                .badKey, "The file of the key ‘\(name)’ does not contain a public key.",
                hint: "Remove it with: nervous keys remove \(name)")
        }
        return key
    }

    /// Reads the line in the file of a key, which only the owner of the file may be able to open.
    private static func read(
        _ name: String, _ path: String, in folder: borrowing Folder
    ) throws(JSAppsError) -> String {
        let bytes: [UInt8]
        let isSafe: Bool
        do throws(SystemError) {
            let file = try folder.file(path)
            let isRegular = try file.isRegular()
            isSafe = isRegular && PrivateFile.isPrivate(file.descriptor)
            bytes = isSafe ? try file.read(atMost: largest) : []
        } catch {
            throw error.isMissing ? missing(name) : .io("Could not read the key ‘\(name)’", error)
        }
        guard isSafe else { throw .unsafeKeys("file of the key ‘\(name)’", remedy: "chmod 600") }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Writes a new file atomically.
    private static func write(
        _ text: String, to name: String, in folder: borrowing Folder
    ) throws(JSAppsError) {
        let draft = ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
        do throws(SystemError) {
            let file = try folder.newFile(draft)
            try file.write(Array((text + "\n").utf8))
            try file.sync()
            try folder.rename(draft, to: name)
            try folder.sync()
        } catch {
            unlinkat(folder.descriptor, draft, 0)
            throw error.isTaken ? taken : .io("Could not write the key", error)
        }
    }

    private static var taken: JSAppsError {
        JSAppsError(
            .keyExists, "A key of that name already exists.",
            hint: "Choose another name. List the keys with: nervous keys list")
    }

    private static func missing(_ name: String) -> JSAppsError {
        JSAppsError(
            .noSuchKey, "The key ‘\(name.escapedForDisplay(limit: 64))’ does not exist.",
            hint: "List the keys with: nervous keys list")
    }
}

extension JSAppsError {
    fileprivate static func unsafeKeys(_ what: String, remedy: String? = nil) -> JSAppsError {
        JSAppsError(
            .unsafeKeys, "The \(what) belongs to another user, or other users can open it.",
            hint: remedy.map { "Check who changed it, then restrict it with: \($0)" })
    }
}
