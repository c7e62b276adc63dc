import Crypto
import Foundation
import Samples

/// A token that a holder of another token has narrowed, without the host.
///
/// It consists of signed blocks, each with a ``Caveat`` and the public key that verifies the next block.
/// `docs/attenuated-tokens.md` specifies it byte by byte.
///
/// ```swift
/// let caveat = Caveat(label: "sub-agent", sensors: ["cpu"], access: .stats)
/// let narrower = try AttenuatedToken(narrowing: token, by: caveat)
/// print(narrower.text)  // nvc_…
/// ```
public struct AttenuatedToken: Hashable, Sendable {
    /// The maximum number of blocks of a token.
    public static let blockLimit = 16
    static let prefix = "nvc_"
    /// The maximum number of characters of a token.
    static let textLimit = 8_192
    private static let version: UInt8 = 1
    private static let checksumBytes = 3
    private static let keyBytes = 32
    private static let signatureBytes = 64

    private enum Proof: Hashable {
        /// The private key of the next block, with which a holder can add it.
        case key(Data)
        /// A signature of the whole with that key, which is not in the token.
        case seal(Data)
    }

    fileprivate struct Block: Hashable {
        /// The canonical bytes of the next key and of the caveat.
        let payload: Data
        let signature: Data
        let nextKey: Data
        let caveat: Caveat
    }

    /// The public key of the token that the first block narrows.
    let root: Data
    private var blocks: [Block]
    private var proof: Proof

    /// What the blocks allow, in their order.
    public var caveats: [Caveat] { blocks.map(\.caveat) }

    /// Whether no holder can narrow it further.
    public var isSealed: Bool { if case .seal = proof { true } else { false } }

    /// The token as text.
    public var text: String { Self.text(of: [UInt8](encoded)) }

    /// The text of the bytes of a token.
    static func text(of body: [UInt8]) -> String {
        prefix + (body + SHA256.hash(data: body).prefix(checksumBytes)).base64URL
    }

    // MARK: - Narrowing

    /// Adds a block to a token: one of the host, or one that is already narrowed and not sealed.
    ///
    /// - Parameter seals: whether no holder can narrow the result further.
    /// - Throws: `invalidToken` when the text is neither, is sealed or has 16 blocks.
    public init(
        narrowing text: String, by caveat: Caveat, seals: Bool = false
    ) throws(AuthError) {
        let key: Curve25519.Signing.PrivateKey
        if let token = Token(text) {
            key = token.rootKey
            root = key.publicKey.rawRepresentation
            blocks = []
            proof = .key(key.rawRepresentation)
        } else if let parent = AttenuatedToken(text) {
            guard case .key(let bytes) = parent.proof,
                let next = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
            else {
                throw AuthError(
                    .invalidToken, "The token is sealed, so it cannot be narrowed further.",
                    hint: "Narrow the token that it was made from.")
            }
            guard parent.blocks.count < Self.blockLimit else {
                throw AuthError(
                    .invalidToken,
                    "The token has \(Self.blockLimit) blocks and cannot be narrowed further.",
                    hint: "Narrow a token that it was made from.")
            }
            self = parent
            key = next
        } else {
            throw AuthError(
                .invalidToken, "The text is not a token, or is incomplete.",
                hint: "A token begins with nvs_ or nvc_. Create one with: nervous token create NAME"
            )
        }
        let next = Curve25519.Signing.PrivateKey()
        let payload = Self.payload(next.publicKey.rawRepresentation, caveat)
        let message = Self.message(
            root, blocks.count, blocks.last?.signature, payload)
        blocks.append(
            Block(
                payload: payload, signature: try Self.sign(message, with: key),
                nextKey: next.publicKey.rawRepresentation, caveat: caveat))
        proof = .key(next.rawRepresentation)
        if seals { proof = .seal(try Self.sign(sealedMessage, with: next)) }
    }

    private static func sign(
        _ message: Data, with key: Curve25519.Signing.PrivateKey
    ) throws(AuthError) -> Data {
        do {
            return try key.signature(for: message)
        } catch {
            throw AuthError(wrapping: error, while: "signing a token")
        }
    }

    // MARK: - Verifying

    /// Whether every block is signed with the key that the block before it names, the first with the key of
    /// the token that it narrows, and whether the token ends as specified.
    var isAuthentic: Bool {
        var key = root
        var previous: Data?
        for (index, block) in blocks.enumerated() {
            let message = Self.message(root, index, previous, block.payload)
            guard Ed25519.verifies(block.signature, of: message, key) else { return false }
            (key, previous) = (block.nextKey, block.signature)
        }
        switch proof {
        case .key(let bytes):
            let next = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
            return next?.publicKey.rawRepresentation == key
        case .seal(let signature):
            return Ed25519.verifies(signature, of: sealedMessage, key)
        }
    }

    private static func message(
        _ root: Data, _ index: Int, _ previous: Data?, _ payload: Data
    ) -> Data {
        Data("nervous-token-block-1\0".utf8) + root + [UInt8(index)]
            + (previous ?? Data(repeating: 0, count: signatureBytes)) + payload
    }

    private var sealedMessage: Data { Data("nervous-token-seal-1\0".utf8) + encodedBlocks }

    // MARK: - Encoding

    private var encodedBlocks: Data {
        var bytes = Data([Self.version]) + root + [UInt8(blocks.count)]
        for block in blocks {
            bytes += [UInt8(block.payload.count >> 8), UInt8(block.payload.count & 0xFF)]
            bytes += block.payload + block.signature
        }
        return bytes
    }

    private var encoded: Data {
        switch proof {
        case .key(let key): encodedBlocks + [0] + key
        case .seal(let signature): encodedBlocks + [1] + signature
        }
    }

    private static func payload(_ nextKey: Data, _ caveat: Caveat) -> Data {
        var payload = nextKey
        func add(_ term: Term, _ value: some Collection<UInt8>) {
            payload += [term.rawValue, UInt8(value.count)]
            payload += value
        }
        if let label = caveat.label { add(.label, label.utf8) }
        for sensor in caveat.sensors ?? [] { add(.sensor, sensor.description.utf8) }
        if let access = caveat.access { add(.access, [access.code]) }
        if let rate = caveat.maximumRate { add(.rate, rate.bitPattern.bytes) }
        if let step = caveat.precision { add(.precision, step.bitPattern.bytes) }
        if let history = caveat.history {
            add(.history, UInt64(bitPattern: history.wholeMicroseconds).bytes)
        }
        if let end = caveat.expires { add(.expires, UInt64(bitPattern: end.microseconds).bytes) }
        return payload
    }

    /// Reads a token; does not verify its signatures.
    ///
    /// - Returns: `nil` unless the text is exactly the one form of its content.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count <= Self.textLimit,
            let bytes = [UInt8](base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count > Self.checksumBytes
        else { return nil }
        let body = bytes.dropLast(Self.checksumBytes)
        guard
            SHA256.hash(data: body).prefix(Self.checksumBytes)
                .elementsEqual(bytes.suffix(Self.checksumBytes))
        else { return nil }
        var rest = body[...]
        guard rest.popFirst() == Self.version, let root = rest.take(Self.keyBytes),
            let count = rest.popFirst(), (1...Self.blockLimit).contains(Int(count))
        else { return nil }
        self.root = root
        blocks = []
        for _ in 0..<count {
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let payload = rest.take(Int(high) << 8 | Int(low)),
                let signature = rest.take(Self.signatureBytes),
                let block = Block(payload, signature)
            else { return nil }
            blocks.append(block)
        }
        switch rest.popFirst() {
        case 0: proof = .key(Data(rest))
        case 1: proof = .seal(Data(rest))
        default: return nil
        }
        guard rest.count == (isSealed ? Self.signatureBytes : Self.keyBytes) else { return nil }
    }

    /// The kinds of entry of a payload, in the order in which they follow one another.
    private enum Term: UInt8 {
        case label = 1
        case sensor, access, rate, precision, history, expires
    }
}

extension AttenuatedToken.Block {
    /// Reads a payload.
    ///
    /// - Returns: `nil` unless it is exactly the one form of its content.
    fileprivate init?(_ payload: Data, _ signature: Data) {
        var rest = [UInt8](payload)[...]
        guard let key = rest.take(32) else { return nil }
        var label: String?
        var sensors: [SensorID] = []
        var access: Access?
        var numbers: [UInt8: UInt64] = [:]
        var last: [UInt8] = []
        while let tag = rest.popFirst() {
            guard let length = rest.popFirst(), let value = rest.take(Int(length)) else {
                return nil
            }
            // Ascending, so that there is one form of each caveat; only sensors can be repeated.
            let entry = [tag] + value
            let isNext = last.first.map { $0 < tag || $0 == tag && tag == 2 } ?? true
            guard isNext, last.lexicographicallyPrecedes(entry) else { return nil }
            last = entry
            switch tag {
            case 1: label = String(decoding: value, as: UTF8.self)
            case 2:
                guard let sensor = SensorID(String(decoding: value, as: UTF8.self)) else {
                    return nil
                }
                sensors.append(sensor)
            case 3:
                guard value.count == 1, let found = Access(code: value[0]) else { return nil }
                access = found
            case 4...7:
                guard value.count == 8 else { return nil }
                numbers[tag] = value.reduce(0) { $0 << 8 | UInt64($1) }
            default: return nil
            }
        }
        let caveat = Caveat(
            label: label, sensors: sensors.isEmpty ? nil : sensors, access: access,
            maximumRate: numbers[4].map { Double(bitPattern: $0) },
            precision: numbers[5].map { Double(bitPattern: $0) },
            history: numbers[6].map { .microseconds(Int64(bitPattern: $0)) },
            expires: numbers[7].map { Timestamp(microseconds: Int64(bitPattern: $0)) })
        guard let caveat else { return nil }
        self.init(payload: payload, signature: signature, nextKey: key, caveat: caveat)
    }
}

extension Token {
    /// The public key with which tokens narrowed from this one begin.
    var rootPublicKey: Data { rootKey.publicKey.rawRepresentation }

    /// The private key that signs the first block of a token narrowed from this one.
    fileprivate var rootKey: Curve25519.Signing.PrivateKey {
        let seed = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("nervous-token-root-1".utf8),
            outputByteCount: 32)
        do {
            return try Curve25519.Signing.PrivateKey(
                rawRepresentation: seed.withUnsafeBytes { Data($0) })
        } catch {
            preconditionFailure("every 32 bytes are the seed of a key: \(error)")
        }
    }
}

/// Signatures of RFC 8032, section 5.1.
enum Ed25519 {
    /// Whether a signature of a message is valid for a public key; `false` also for malformed ones.
    static func verifies(_ signature: Data, of message: Data, _ key: Data) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else {
            return false
        }
        return key.isValidSignature(signature, for: message)
    }
}

extension Access {
    fileprivate var code: UInt8 {
        switch self {
        case .raw: 1
        case .stats: 2
        case .write: 3
        }
    }

    fileprivate init?(code: UInt8) {
        guard let access = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = access
    }
}

extension UInt64 {
    /// The most significant byte first.
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}

extension ArraySlice<UInt8> {
    /// Removes the first bytes; `nil` if there are fewer.
    fileprivate mutating func take(_ count: Int) -> Data? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return Data(prefix(count))
    }
}
