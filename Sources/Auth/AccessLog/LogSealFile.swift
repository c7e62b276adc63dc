import Crypto
import Files
import Foundation
import Glibc
import Samples

/// What a host needs to continue a sealed access log, as it is stored in ``LogSealFile``.
struct LogSealState: Sendable {
    /// The size in the file.
    static let size = 144
    private static let magic = Array("NVSSEAL1".utf8)

    /// The key of the next entry.
    var key: LogSealKey
    /// The first sealed entry.
    let first: Int64
    /// When the log was sealed.
    let since: Timestamp
    /// The private key of the checkpoints, an Ed25519 seed.
    let signingKey: [UInt8]
    /// The newest entry of which a checkpoint was made, and when; 0 before the first.
    var checkpoint: (entry: Int64, time: Timestamp) = (0, Timestamp(microseconds: 0))

    init(key: LogSealKey, since: Timestamp) {
        self.key = key
        first = key.entry
        self.since = since
        signingKey = Array(Curve25519.Signing.PrivateKey().rawRepresentation)
    }

    /// Decodes the bytes that ``encoded`` makes; `nil` for any other.
    init?(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        func number(at place: Int) -> Int64 {
            bytes[place..<(place + 8)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        guard bytes.count == Self.size, bytes.starts(with: Self.magic),
            SHA256.hash(data: bytes[..<112]).elementsEqual(bytes[112...])
        else { return nil }
        key = LogSealKey(entry: number(at: 8), bytes: bytes[16..<48])
        first = number(at: 48)
        since = Timestamp(microseconds: number(at: 56))
        signingKey = Array(bytes[64..<96])
        checkpoint = (number(at: 96), Timestamp(microseconds: number(at: 104)))
    }

    /// The bytes in the file; integers are big-endian.
    var encoded: [UInt8] {
        func bytes(_ number: Int64) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        var content = Self.magic + bytes(key.entry) + key.bytes
        content += bytes(first) + bytes(since.microseconds) + signingKey
        content += bytes(checkpoint.entry) + bytes(checkpoint.time.microseconds)
        return content + SHA256.hash(data: content)
    }

    /// The public key of the checkpoints.
    ///
    /// - Throws: an error of the cryptographic library.
    var publicKey: [UInt8] {
        get throws { Array(try signer.publicKey.rawRepresentation) }
    }

    var signer: Curve25519.Signing.PrivateKey {
        get throws { try Curve25519.Signing.PrivateKey(rawRepresentation: signingKey) }
    }

    /// Whether this is a later state than another one.
    fileprivate func follows(_ other: LogSealState) -> Bool {
        (key.entry, checkpoint.entry) >= (other.key.entry, other.checkpoint.entry)
    }
}

/// The file `access-log.seal`, which has the same state in two places.
///
/// A new state overwrites the first place, is synced, and then overwrites the second one: a crash leaves at least
/// one that is valid, and afterwards no earlier key is in the file. Places are overwritten and never replaced by
/// another file, since the blocks of a replaced file keep their content. What a file system or a drive that writes
/// to other places keeps, this cannot erase.
enum LogSealFile {
    private static let places = [0, 4096]

    enum Content {
        case missing
        /// Neither place has a valid state.
        case damaged
        case state(LogSealState)
    }

    static func path(beside database: String) -> String {
        let folder = (database as NSString).deletingLastPathComponent
        return (folder as NSString).appendingPathComponent("access-log.seal")
    }

    /// Reads the later of the two states.
    static func read(_ path: String) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .damaged }
        defer { close(descriptor) }
        let states = places.compactMap { place -> LogSealState? in
            var bytes = [UInt8](repeating: 0, count: LogSealState.size)
            let count = pread(descriptor, &bytes, bytes.count, off_t(place))
            return LogSealState(bytes.prefix(max(0, count)))
        }
        guard let first = states.first else { return .damaged }
        return .state(states.dropFirst().reduce(first) { $1.follows($0) ? $1 : $0 })
    }

    /// Creates the file; a file that exists is replaced, after which its own bytes are overwritten.
    static func create(_ path: String, _ state: LogSealState) throws(FilesError) {
        let earlier = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { if earlier >= 0 { close(earlier) } }
        let bytes = state.encoded
        let gap = [UInt8](repeating: 0, count: places[1] - bytes.count)
        try DurableFile.replace(path, with: bytes + gap + bytes)
        guard earlier >= 0 else { return }
        try write([UInt8](repeating: 0, count: bytes.count), to: earlier, path)
    }

    /// Overwrites the state in both places, and syncs each.
    static func update(_ path: String, _ state: LogSealState) throws(FilesError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last("Cannot write \(path)") }
        defer { close(descriptor) }
        try write(state.encoded, to: descriptor, path)
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String
    ) throws(FilesError) {
        for place in places {
            guard pwrite(descriptor, bytes, bytes.count, off_t(place)) == bytes.count,
                fdatasync(descriptor) == 0
            else { throw .last("Cannot write \(path)") }
        }
    }
}
