import Glibc

/// The keys of the person: those to sign with, and names for the public keys of others.
///
/// `<data>/keys/` has mode 0700. `NAME` in it holds a private key and `NAME.pub` a public one, both
/// with mode 0600. Where others could read or change any of it, it is not used. Every call blocks.
public struct KeyFolder: Sendable {
    static let folderName = "keys"
    static let ending = ".pub"
    static let largest = 256

    let data: String

    /// Names the folder, which need not be there.
    ///
    /// - Parameter data: The data directory, absolute.
    public init(data: String) {
        self.data = data
    }

    /// Makes a key to sign with.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey` for a name that is none, `keyExists`,
    ///   `unsafeKeys` or `io`.
    public func create(_ name: String) throws(JSAppsError) -> NamedKey {
        let name = try Self.checked(name)
        let folder = try made()
        guard try !keys().contains(where: { $0.name == name }) else { throw Self.taken }
        let key = try SigningKey()
        // The private half last: what it lacks when this is interrupted is only a name to remove.
        try Self.write(key.signer.text, to: name + Self.ending, in: folder)
        try Self.write(key.text, to: name, in: folder)
        return NamedKey(name: name, key: key.signer, isOwn: true)
    }

    /// Gives the public key of somebody else a name, by which it is shown from then on.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey`, `keyExists`, `unsafeKeys` or `io`.
    public func name(_ name: String, _ text: String) throws(JSAppsError) -> NamedKey {
        let name = try Self.checked(name)
        guard let key = SignerKey(text) else {
            throw JSAppsError(
                .badKey, "This is no public key, or it was not copied whole.",
                hint: "A public key begins with nvpub_ and has 76 characters;"
                    + " its owner gets it with: nervous keys export NAME")
        }
        let known = try keys()
        guard !known.contains(where: { $0.name == name }) else { throw Self.taken }
        if let known = known.first(where: { $0.key == key }) {
            throw JSAppsError(.keyExists, "This key has a name already: \(known.name).")
        }
        try Self.write(key.text, to: name + Self.ending, in: try made())
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
            // A private key that was put back from a copy comes without its public half.
            let key =
                names.contains(name + Self.ending)
                ? try Self.signer(name, in: folder) : try signingKey(name).signer
            keys.append(NamedKey(name: name, key: key, isOwn: names.contains(name)))
        }
        return keys
    }

    /// Whether there is a private key of that name, readable or not.
    ///
    /// - Throws: ``JSAppsError`` with code `unsafeKeys` or `io`.
    public func isOwn(_ name: String) throws(JSAppsError) -> Bool {
        guard AppName(name) != nil, let folder = try opened() else { return false }
        return (try? folder.mode(of: name)) != nil
    }

    /// One key by its name.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchKey`, `unsafeKeys`, `badKey` or `io`.
    public func key(_ name: String) throws(JSAppsError) -> NamedKey {
        guard let key = try keys().first(where: { $0.name == name }) else {
            throw Self.missing(name)
        }
        return key
    }

    /// The key to sign with that has a name.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchKey`, `unsafeKeys`, `badKey` or `io`.
    public func signingKey(_ name: String) throws(JSAppsError) -> SigningKey {
        guard AppName(name) != nil, let folder = try opened() else { throw Self.missing(name) }
        return try SigningKey(try Self.read(name, name, in: folder))
    }

    /// Removes a key; what it has signed stays signed.
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
}
