import Text

/// A signature in a file of its own; see `docs/package-signatures.md`.
///
/// Its bytes are fixed by the format, and other spellings are rejected.
struct DetachedSignature {
    private static let largest = 4096
    private static let algorithm = "ed25519"

    let signer: SignerKey
    private let signature: [UInt8]

    /// Signs a message.
    init(of message: [UInt8], by key: SigningKey) throws(JSAppsError) {
        signer = key.signer
        signature = try key.signature(of: message)
    }

    /// Parses the file, without verifying it.
    ///
    /// - Parameters:
    ///   - file: the name of the file, for messages.
    ///   - signed: what it signs, for messages: `package` or `catalogue`.
    /// - Throws: ``JSAppsError`` with code `badSignature`.
    init(parsing bytes: [UInt8], in file: String, of signed: String) throws(JSAppsError) {
        func refusal(_ message: String, _ cause: (any Error)? = nil) -> JSAppsError {
            .badSignature(
                message,
                hint: signed == "package" ? nil : "Ask the publisher of the \(signed).",
                cause: cause)
        }
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON(maximumBytes: Self.largest, maximumDepth: 2).parse(bytes)
        } catch {
            throw refusal("\(file):\(error.position): \(error.message)", error)
        }
        guard root["format"]?.number?.int64 == 1, root["algorithm"]?.string == Self.algorithm else {
            throw refusal("The \(signed)'s signature has an unknown format or algorithm.")
        }
        guard let signer = root["key"]?.string.flatMap({ SignerKey($0) }) else {
            throw refusal("The \(signed)'s signature contains no usable key.")
        }
        guard let text = root["signature"]?.string, let signature = [UInt8](hexadecimal: text),
            signature.count == SignerKey.signatureSize
        else {
            throw refusal(
                "The \(signed)'s signature does not have \(SignerKey.signatureSize) bytes.")
        }
        self.signer = signer
        self.signature = signature
        guard encoded == bytes else {
            throw refusal("The \(signed)'s \(file) is not in the canonical form.")
        }
    }

    /// Whether the message is the one that was signed.
    func verifies(_ message: [UInt8]) -> Bool { signer.verifies(signature, of: message) }

    /// The bytes of the file.
    var encoded: [UInt8] {
        let text = """
            {
              "format": 1,
              "algorithm": "\(Self.algorithm)",
              "key": "\(signer.text)",
              "signature": "\(signature.hexadecimal)"
            }

            """
        return Array(text.utf8)
    }
}
