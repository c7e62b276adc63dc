import Crypto
import Foundation

/// The key that seals one entry of the access log, and from which that of the next entry follows.
///
/// It moves one way: whoever has the key of an entry can compute those of later entries, and none of an earlier
/// one. `docs/access-log.md` specifies the bytes; changing them breaks every sealed log.
///
/// Source: Bellare and Yee, "Forward-Security in Private-Key Cryptography", CT-RSA 2003: a generator and a MAC
/// from a pseudorandom function, here HMAC-SHA256.
struct LogSealKey: Sendable {
    static let size = 32
    /// The bytes of a seal: half of an HMAC-SHA256, the least that RFC 2104 recommends.
    static let tagSize = 16

    private static let labels = (
        seal: Array("nervous access log 1 seal".utf8), next: Array("nervous access log 1 next".utf8)
    )

    /// The number of the entry that this key seals.
    private(set) var entry: Int64
    private var key: SymmetricKey

    /// The bytes of the key; whoever stores them has to erase them when the key moves.
    var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

    init(entry: Int64, bytes: some Sequence<UInt8>) {
        self.entry = entry
        key = SymmetricKey(data: Array(bytes))
    }

    /// A random key.
    init(randomFor entry: Int64) {
        self.entry = entry
        key = SymmetricKey(size: .bits256)
    }

    /// Becomes the key of the next entry; the memory of the earlier one is overwritten.
    mutating func move() {
        key = SymmetricKey(data: code(Self.labels.next, Data()))
        entry += 1
    }

    /// Becomes the key of a later entry, in time proportional to the distance.
    mutating func move(to later: Int64) {
        while entry < later { move() }
    }

    /// The seal of this key's entry.
    ///
    /// - Parameter hash: of the entry, which covers all earlier ones.
    func tag(of hash: Data) -> Data { Data(code(Self.labels.seal, hash).prefix(Self.tagSize)) }

    /// Whether both are keys of one entry with the same bytes; takes the same time wherever they differ.
    func equals(_ other: LogSealKey) -> Bool { entry == other.entry && key == other.key }

    /// HMAC-SHA256(key, label ‖ entry ‖ content).
    private func code(_ label: [UInt8], _ content: Data) -> HMAC<SHA256>.MAC {
        var authentication = HMAC<SHA256>(key: key)
        authentication.update(data: label)
        authentication.update(data: withUnsafeBytes(of: entry.bigEndian) { Array($0) })
        authentication.update(data: content)
        return authentication.finalize()
    }
}

/// What the owner keeps elsewhere to verify a sealed access log: the key of its first sealed entry, and the public
/// key of its checkpoints.
///
/// Its text is `nvk_` and, in base64url, the number of the first sealed entry (8 bytes, big-endian), the key of
/// this entry (32), the public key (32) and the first 4 bytes of the SHA-256 of these.
///
/// ```swift
/// let key = AccessLogKey("nvk_AAAAAAAAAAE…")
/// let report = try await AccessLogVerification(path: path, key: key).run()
/// ```
public struct AccessLogKey: Sendable {
    private static let prefix = "nvk_"
    private static let checksumSize = 4
    private static let publicKeySize = 32

    let first: LogSealKey
    let publicKey: [UInt8]

    init(first: LogSealKey, publicKey: [UInt8]) {
        self.first = first
        self.publicKey = publicKey
    }

    /// Parses the text; `nil` for any other.
    public init?(_ text: some StringProtocol) {
        let size = 8 + LogSealKey.size + Self.publicKeySize
        guard text.hasPrefix(Self.prefix),
            let bytes = [UInt8](base64URL: Substring(text).dropFirst(Self.prefix.count)),
            bytes.count == size + Self.checksumSize,
            SHA256.hash(data: bytes.prefix(size)).prefix(Self.checksumSize)
                .elementsEqual(bytes.suffix(Self.checksumSize))
        else { return nil }
        let entry = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard entry > 0 else { return nil }
        first = LogSealKey(entry: entry, bytes: bytes[8..<(8 + LogSealKey.size)])
        publicKey = Array(bytes[(8 + LogSealKey.size)..<size])
    }

    /// The text to be kept elsewhere.
    public var text: String {
        let number = withUnsafeBytes(of: first.entry.bigEndian) { Array($0) }
        let bytes = number + first.bytes + publicKey
        return Self.prefix + (bytes + SHA256.hash(data: bytes).prefix(Self.checksumSize)).base64URL
    }

    /// The number of the first sealed entry.
    public var firstEntry: Int64 { first.entry }

    /// The public key of the checkpoints as a verifier key of signed notes.
    public var signer: String { NoteSigner(publicKey: publicKey).text }
}
