import Crypto
import Foundation

/// The private key of whoever signs packages.
///
/// Who has it can publish updates in the signer's name. Its text goes into the key's file and nowhere
/// else; printing the value shows the public half.
public struct SigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// What others know it by.
    public let signer: SignerKey

    /// The key as text, for its file.
    var text: String { KeyText.signing.encode(Array(key.rawRepresentation)) }

    /// A new key.
    init() throws(JSAppsError) {
        try self.init(Curve25519.Signing.PrivateKey())
    }

    /// Reads a key as `text` writes it.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey`.
    init(_ text: String) throws(JSAppsError) {
        guard let bytes = KeyText.signing.decode(text),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw Self.refusal }
        try self.init(key)
    }

    private init(_ key: Curve25519.Signing.PrivateKey) throws(JSAppsError) {
        guard let signer = SignerKey(Array(key.publicKey.rawRepresentation)) else {
            throw Self.refusal
        }
        self.key = key
        self.signer = signer
    }

    /// Signs a message; the same message gives the same 64 bytes.
    func signature(of message: [UInt8]) throws(JSAppsError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message))
        } catch {
            throw JSAppsError(.badKey, "The key could not sign the package.", cause: error)
        }
    }

    private static var refusal: JSAppsError {
        JSAppsError(
            .badKey, "What the key's file holds is no private key.",
            hint: "Restore the file, or make another key with: nervous keys create NAME")
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint of the public half.
    public var description: String { "signing key of \(signer)" }
    /// The same.
    public var debugDescription: String { description }
    /// Nothing: a dump must not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
