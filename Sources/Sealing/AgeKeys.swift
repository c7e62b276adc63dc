import Crypto
import Foundation

/// A key to which `age` encrypts: `age1…`.
public struct AgeRecipient: Hashable, Sendable, LosslessStringConvertible {
    static let prefix = "age"
    let bytes: [UInt8]

    /// - Returns: `nil` unless the text is an X25519 recipient of `age`.
    public init?(_ text: String) {
        guard let bytes = Bech32.decode(text, prefix: Self.prefix), X25519.isUsable(bytes) else {
            return nil
        }
        self.bytes = bytes
    }

    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var description: String { Bech32.encode(bytes, prefix: Self.prefix) }
}

/// The private half of a recipient: `AGE-SECRET-KEY-1…`.
public struct AgeIdentity: Sendable {
    private static let prefix = "age-secret-key-"
    private let bytes: SecretBytes
    /// The public half.
    public let recipient: AgeRecipient

    /// A new identity.
    ///
    /// - Throws: `memory`.
    public init() throws(SealingError) {
        try self.init(SecretBytes(randomCount: 32))
    }

    /// Reads a file of identities as `age-keygen` writes it: one identity, empty lines and comments.
    ///
    /// - Throws: `invalidRecovery` for anything else; `memory`.
    public init(file text: String) throws(SealingError) {
        let lines = text.split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard lines.count == 1, let bytes = Bech32.decode(lines[0], prefix: Self.prefix),
            bytes.count == 32
        else {
            throw SealingError(
                .invalidRecovery, "This is not a file with one identity of age.",
                hint: "It is the file with the line AGE-SECRET-KEY-1…")
        }
        try self.init(SecretBytes(copying: bytes))
    }

    private init(_ bytes: SecretBytes) throws(SealingError) {
        self.bytes = bytes
        let key = bytes.withUnsafeBytes {
            try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
        }
        guard let key else {
            throw SealingError(.invalidRecovery, "An identity of age has 32 bytes.")
        }
        recipient = AgeRecipient(bytes: Array(key.publicKey.rawRepresentation))
    }

    /// The line for a file of identities; whoever has it opens the recovery file.
    public var text: String {
        bytes.withUnsafeBytes { Bech32.encode($0, prefix: Self.prefix) }.uppercased()
    }

    /// The secret that this identity and an ephemeral key share; `nil` for a key of small order.
    func sharedSecret(with share: [UInt8]) -> SharedSecret? {
        let key = bytes.withUnsafeBytes {
            try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
        }
        return key.flatMap { X25519.secret(of: $0, with: share) }
    }
}
