import Crypto
import Files
import Foundation
import Glibc
import Text

/// Where the key of the health store is.
public struct HealthKeyPlace: Hashable, Sendable {
    /// A file with 64 hexadecimal digits, created with the store.
    public let path: String
    /// A file that is used instead if it exists, such as a credential of the service; never written.
    public let credential: String?

    public init(path: String, credential: String? = nil) {
        (self.path, self.credential) = (path, credential)
    }
}

/// Seals the values of the health store with AES-256-GCM, so that a copy of the database without the key
/// reveals none of them.
///
/// Each value has a random nonce. What identifies its row is authenticated with it, so that a value
/// cannot be moved to another row.
struct HealthSeal: Sendable {
    private static let byteCount = 32

    private let key: SymmetricKey

    /// Reads the key, or creates it.
    ///
    /// - Parameter mayCreate: whether a missing key is created; not for a store that exists.
    /// - Throws: `HealthError` with `damaged` for a missing or invalid key; `FilesError`.
    init(_ place: HealthKeyPlace, mayCreate: Bool) throws {
        if let credential = place.credential, access(credential, F_OK) == 0 {
            key = try Self.key(in: credential)
            return
        }
        if access(place.path, F_OK) != 0 {
            guard mayCreate else {
                throw HealthError(damaged: "cannot be read: its key, \(place.path), is missing")
            }
            let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { $0.hexadecimal }
            try DurableFile.replace(place.path, with: Array((bytes + "\n").utf8))
        }
        try PrivateFile.check(place.path)
        key = try Self.key(in: place.path)
    }

    private static func key(in path: String) throws -> SymmetricKey {
        guard let bytes = [UInt8](hexadecimal: try SecretFile.line(in: path)),
            bytes.count == byteCount
        else {
            throw HealthError(
                damaged:
                    "cannot be read: its key, \(path), is not \(byteCount * 2) hexadecimal digits")
        }
        return SymmetricKey(data: bytes)
    }

    /// The sealed form of a value: nonce, ciphertext and tag.
    ///
    /// - Parameter row: what identifies the row that the value belongs to.
    func seal(_ value: some Encodable, of row: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let box = try AES.GCM.seal(
            encoder.encode(value), using: key, authenticating: Data(row.utf8))
        guard let combined = box.combined else {
            throw HealthError(.storeFailed, "A value of the health store could not be sealed.")
        }
        return combined
    }

    /// The value of a sealed form.
    ///
    /// - Throws: `damaged` for another key or row, or a changed form.
    func open<T: Decodable>(_ sealed: Data, as type: T.Type, of row: String) throws -> T {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            let bytes = try AES.GCM.open(box, using: key, authenticating: Data(row.utf8))
            return try JSONDecoder().decode(type, from: bytes)
        } catch {
            throw HealthError(
                damaged: "has a value that its key does not open", cause: error)
        }
    }
}
