import Crypto
public import Foundation
public import Samples
import Text

/// A signed statement about the newest entry of the access log, to be kept elsewhere.
///
/// It is a [signed note](https://c2sp.org/signed-note) whose text has the lines of a
/// [checkpoint](https://c2sp.org/tlog-checkpoint): origin, number of entries, hash, and as an extension the time.
/// The hash is that of the newest entry, and not the root of a Merkle tree, so the log has no inclusion proofs.
///
/// ```swift
/// let checkpoint = try await authority.log.checkpoint()
/// print(checkpoint.note)
/// ```
public struct LogCheckpoint: Sendable {
    private static let largest = 4096

    /// The number of the entry.
    public let entry: Int64
    /// The SHA-256 of the entry.
    public let hash: Data
    /// When it was made.
    public let time: Timestamp
    /// The signed note.
    public let note: String

    private let signer: NoteSigner

    /// Signs a checkpoint.
    init(
        entry: Int64, hash: Data, time: Timestamp, by key: Curve25519.Signing.PrivateKey
    ) throws {
        (self.entry, self.hash, self.time) = (entry, hash, time)
        signer = NoteSigner(publicKey: Array(key.publicKey.rawRepresentation))
        let text =
            "\(signer.name)\n\(entry)\n\(hash.base64EncodedString())\n"
            + "time \(time.microseconds)\n"
        let signature = try key.signature(for: Data(text.utf8))
        note = "\(text)\n\(signer.line(signature))\n"
    }

    /// Parses a note of this program, without verifying it; `nil` for any other.
    public init?(_ note: String) {
        guard note.utf8.count <= Self.largest, let end = note.range(of: "\n\n", options: .backwards)
        else { return nil }
        let lines = note[..<end.lowerBound].split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, let entry = Int64(lines[1]), entry > 0, String(entry) == lines[1],
            let hash = Data(base64Encoded: String(lines[2])), hash.count == 32,
            lines[3].hasPrefix("time "), let time = Int64(lines[3].dropFirst(5)),
            let signer = NoteSigner(signing: note)
        else { return nil }
        (self.entry, self.hash, self.note, self.signer) = (entry, hash, note, signer)
        self.time = Timestamp(microseconds: time)
        guard signer.name == lines[0] else { return nil }
    }

    /// Whether a public key has signed it.
    func isSigned(by publicKey: [UInt8]) -> Bool {
        NoteSigner(publicKey: publicKey, name: signer.name).verifies(note)
    }
}

/// An Ed25519 key with the name under which it signs notes.
///
/// Source: C2SP, "Note signatures", https://c2sp.org/signed-note.
struct NoteSigner: Sendable {
    private static let algorithm: UInt8 = 1
    private static let mark = "\u{2014} "

    let name: String
    /// The first 4 bytes of SHA-256(name ‖ LF ‖ algorithm ‖ public key).
    private let hash: [UInt8]
    /// `nil` if only a signature of the key is known.
    private let publicKey: [UInt8]?

    /// - Parameter name: by default one that follows from the key, so that logs of two hosts have two.
    init(publicKey: [UInt8], name: String? = nil) {
        let name =
            name
            ?? "nervous/access-log/"
            + Array(SHA256.hash(data: publicKey).prefix(4)).hexadecimal
        self.name = name
        self.publicKey = publicKey
        hash = Array(
            SHA256.hash(data: Array(name.utf8) + [0x0A, Self.algorithm] + publicKey).prefix(4))
    }

    /// The signer that the first signature line of a note names; `nil` for any other text.
    init?(signing note: String) {
        guard let first = Self.parse(note)?.signatures.first else { return nil }
        (name, hash, publicKey) = (first.name, first.hash, nil)
    }

    /// The verifier key: name, hash and public key.
    var text: String {
        let key = Data([Self.algorithm] + (publicKey ?? [])).base64EncodedString()
        return "\(name)+\(hash.hexadecimal)+\(key)"
    }

    /// The line for a signature.
    func line(_ signature: Data) -> String {
        "\(Self.mark)\(name) \((Data(hash) + signature).base64EncodedString())"
    }

    /// Whether this key has signed a note; lines of other keys are ignored.
    func verifies(_ note: String) -> Bool {
        guard let publicKey, let parsed = Self.parse(note),
            let line = parsed.signatures.first(where: { $0.name == name && $0.hash == hash }),
            line.signature.count == 64,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
        else { return false }
        return key.isValidSignature(line.signature, for: Data(parsed.text.utf8))
    }

    private struct Line {
        let name: String
        let hash: [UInt8]
        let signature: Data

        init?(_ line: Substring) {
            let parts = line.dropFirst(NoteSigner.mark.count).split(
                separator: " ", omittingEmptySubsequences: false)
            guard line.hasPrefix(NoteSigner.mark), parts.count == 2, !parts[0].isEmpty,
                !parts[0].contains("+"), let bytes = Data(base64Encoded: String(parts[1])),
                bytes.count > 4
            else { return nil }
            (name, hash) = (String(parts[0]), Array(bytes.prefix(4)))
            signature = Data(bytes.dropFirst(4))
        }
    }

    private static func parse(_ note: String) -> (text: String, signatures: [Line])? {
        guard let end = note.range(of: "\n\n", options: .backwards), note.hasSuffix("\n"),
            !note.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" })
        else { return nil }
        let lines = note[end.upperBound...].dropLast().split(
            separator: "\n", omittingEmptySubsequences: false)
        let signatures = lines.compactMap { Line($0) }
        guard !signatures.isEmpty, signatures.count == lines.count else { return nil }
        return (String(note[..<end.lowerBound]) + "\n", signatures)
    }
}
