import Crypto
import Foundation

/// Files of the format `age-encryption.org/v1` with X25519 recipients, without armor.
///
/// Source: https://c2sp.org/age. Debian's `age` opens what ``encrypt(_:to:)`` returns.
public enum AgeFile {
    private static let version = "age-encryption.org/v1"
    private static let (fileKeyBytes, nonceBytes, tagBytes) = (16, 16, 16)
    private static let pieceBytes = 64 << 10
    private static let columns = 64

    /// Encrypts bytes to a recipient.
    static func encrypt(
        _ bytes: some ContiguousBytes, to recipient: AgeRecipient
    ) throws(SealingError) -> [UInt8] {
        let fileKey = SymmetricKey(size: SymmetricKeySize(bitCount: fileKeyBytes * 8))
        do {
            let ephemeral = Curve25519.KeyAgreement.PrivateKey()
            let share = Array(ephemeral.publicKey.rawRepresentation)
            let secret = try ephemeral.sharedSecretFromKeyAgreement(
                with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.bytes))
            let body = try fileKey.withUnsafeBytes {
                try ChaChaPoly.seal(
                    Data($0), using: wrapKey(secret, share: share, recipient: recipient),
                    nonce: ChaChaPoly.Nonce(data: Data(count: 12)))
            }
            let header =
                "\(version)\n-> X25519 \(base64(share))\n"
                + "\(base64(body.ciphertext + body.tag))\n---"
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(header.utf8), using: headerKey(fileKey))
            let nonce = (0..<nonceBytes).map { _ in UInt8.random(in: .min ... .max) }
            let payload = try bytes.withUnsafeBytes {
                try stream($0, using: payloadKey(fileKey, nonce: nonce))
            }
            return Array("\(header) \(base64(Array(code)))\n".utf8) + nonce + payload
        } catch {
            throw SealingError(.invalidRecovery, "The recovery key cannot be used.")
        }
    }

    /// Decrypts a whole file.
    ///
    /// - Throws: `invalidRecovery` for a file that is not of this format or was changed; `wrongRecovery` if
    ///   it was not encrypted to the identity.
    public static func decrypt(
        _ file: [UInt8], with identity: AgeIdentity
    ) throws(SealingError) -> SecretBytes {
        var reader = HeaderReader(file)
        let header = try reader.header()
        var found: SymmetricKey?
        for stanza in header.stanzas where stanza.kind == "X25519" {
            guard stanza.arguments.count == 1,
                let share = bytes(base64: stanza.arguments[0]), share.count == 32,
                stanza.body.count == fileKeyBytes + tagBytes,
                let secret = identity.sharedSecret(with: share)
            else { throw malformed }
            let key = wrapKey(secret, share: share, recipient: identity.recipient)
            if found == nil, let plain = open(stanza.body, Data(count: 12), key) {
                found = SymmetricKey(data: plain)
            }
        }
        guard let fileKey = found else {
            throw SealingError(
                .wrongRecovery, "The recovery file was not encrypted to this identity.")
        }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                header.code, authenticating: header.covered, using: headerKey(fileKey))
        else { throw malformed }
        let payload = file[reader.position...]
        guard payload.count >= nonceBytes else { throw malformed }
        let key = payloadKey(fileKey, nonce: Array(payload.prefix(nonceBytes)))
        return try SecretBytes(copying: unstream(payload.dropFirst(nonceBytes), using: key))
    }

    // MARK: - Keys

    private static func wrapKey(
        _ secret: SharedSecret, share: [UInt8], recipient: AgeRecipient
    ) -> SymmetricKey {
        secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Data(share + recipient.bytes),
            sharedInfo: Data("\(version)/X25519".utf8), outputByteCount: 32)
    }

    private static func headerKey(_ fileKey: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey, info: Data("header".utf8), outputByteCount: 32)
    }

    private static func payloadKey(_ fileKey: SymmetricKey, nonce: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey, salt: Data(nonce), info: Data("payload".utf8),
            outputByteCount: 32)
    }

    // MARK: - Payload

    /// The nonce of a piece: its number in 11 bytes, and whether it is the last one.
    private static func nonce(_ number: UInt64, isLast: Bool) -> Data {
        Data(count: 3) + withUnsafeBytes(of: number.bigEndian) { Data($0) } + [isLast ? 1 : 0]
    }

    private static func stream(
        _ bytes: UnsafeRawBufferPointer, using key: SymmetricKey
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        var (number, start) = (UInt64(0), 0)
        repeat {
            let end = min(start + pieceBytes, bytes.count)
            let box = try ChaChaPoly.seal(
                Data(bytes[start..<end]), using: key,
                nonce: ChaChaPoly.Nonce(data: nonce(number, isLast: end == bytes.count)))
            result += box.ciphertext + box.tag
            (number, start) = (number + 1, end)
        } while start < bytes.count
        return result
    }

    private static func unstream(
        _ payload: ArraySlice<UInt8>, using key: SymmetricKey
    ) throws(SealingError) -> [UInt8] {
        var result: [UInt8] = []
        var (rest, number) = (payload, UInt64(0))
        while true {
            let piece = rest.prefix(pieceBytes + tagBytes)
            rest = rest.dropFirst(piece.count)
            guard let plain = open(piece, nonce(number, isLast: rest.isEmpty), key),
                // Only an empty file has an empty last piece.
                !plain.isEmpty || number == 0
            else { throw malformed }
            result += plain
            if rest.isEmpty { return result }
            number += 1
        }
    }

    private static func open(
        _ sealed: some Collection<UInt8>, _ nonce: Data, _ key: SymmetricKey
    ) -> Data? {
        guard sealed.count >= tagBytes, let nonce = try? ChaChaPoly.Nonce(data: nonce),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: Data(sealed.dropLast(tagBytes)),
                tag: Data(sealed.suffix(tagBytes)))
        else { return nil }
        return try? ChaChaPoly.open(box, using: key)
    }

    // MARK: - Header

    /// The key of the file, wrapped for one recipient.
    private struct Stanza {
        let kind: String
        let arguments: [String]
        let body: [UInt8]
    }

    private struct Header {
        let stanzas: [Stanza]
        let code: [UInt8]
        /// What the code authenticates: everything up to and including `---`.
        let covered: [UInt8]
    }

    private struct HeaderReader {
        private let file: [UInt8]
        private(set) var position = 0

        init(_ file: [UInt8]) {
            self.file = file
        }

        mutating func header() throws(SealingError) -> Header {
            guard try line() == version else { throw malformed }
            var stanzas: [Stanza] = []
            while true {
                let start = position
                let line = try line()
                if line.hasPrefix("--- "), let code = bytes(base64: String(line.dropFirst(4))),
                    code.count == SHA256.byteCount, !stanzas.isEmpty
                {
                    return Header(
                        stanzas: stanzas, code: code, covered: Array(file[..<(start + 3)]))
                }
                stanzas.append(try stanza(line))
            }
        }

        private mutating func stanza(_ line: String) throws(SealingError) -> Stanza {
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(
                String.init)
            guard words.count >= 2, words[0] == "->",
                words.dropFirst().allSatisfy({ word in
                    !word.isEmpty && word.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                })
            else { throw malformed }
            var body: [UInt8] = []
            while true {
                let line = try self.line()
                guard line.utf8.count <= columns, let part = bytes(base64: line) else {
                    throw malformed
                }
                body += part
                if line.utf8.count < columns { break }
            }
            return Stanza(kind: words[1], arguments: Array(words.dropFirst(2)), body: body)
        }

        private mutating func line() throws(SealingError) -> String {
            guard let end = file[position...].firstIndex(of: UInt8(ascii: "\n")),
                let text = String(validating: file[position..<end], as: UTF8.self)
            else { throw malformed }
            position = end + 1
            return text
        }
    }

    /// Base64 without padding.
    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().filter { $0 != "=" }
    }

    /// - Returns: `nil` for padding, other characters, and bits that are left over and not zero.
    private static func bytes(base64 text: String) -> [UInt8]? {
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), base64(data) == text else { return nil }
        return Array(data)
    }

    private static let malformed = SealingError(
        .invalidRecovery, "The recovery file is not a file of age, or was changed.")
}
