import Samples
import Text

/// The layout of the binary messages of a device: start bytes, a length, and a checksum.
///
/// ```swift
/// // PMS5003: 42 4D, 32 bytes, the sum of the bytes before as the last two.
/// let layout = try FrameLayout(
///     start: [0x42, 0x4D], length: .fixed(32), checksum: .init(.sum16be))
/// ```
public struct FrameLayout: Hashable, Sendable {
    /// How long a message is.
    public enum Length: Hashable, Sendable {
        /// The number of bytes, with start, checksum and end.
        case fixed(Int)
        /// A number in the message, and what has to be added to it for the length of the whole.
        case field(FrameField, plus: Int)
    }

    /// A checksum of consecutive bytes.
    public struct Checksum: Hashable, Sendable {
        /// How it is computed and stored; numbers of two bytes in the order of the name.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The sum of the bytes modulo 256.
            case sum8
            /// The two's complement of ``sum8``: with it all bytes add up to 0.
            case negatedSum8 = "negated-sum8"
            /// The exclusive or of the bytes.
            case xor8
            /// The sum of the bytes modulo 65536.
            case sum16be, sum16le

            var size: Int { self == .sum16be || self == .sum16le ? 2 : 1 }
        }

        /// How it is computed.
        public let kind: Kind
        /// The offset of the first byte that it covers; it covers those up to itself.
        public let from: Int

        /// Creates a checksum, which is the last part of a message before its end bytes.
        public init(_ kind: Kind, from: Int = 0) {
            (self.kind, self.from) = (kind, from)
        }

        fileprivate func isRight(in frame: ArraySlice<UInt8>, at offset: Int) -> Bool {
            guard from < offset, offset + kind.size <= frame.count else { return false }
            let first = frame.startIndex
            let covered = frame[first + from..<first + offset]
            let sum = covered.reduce(UInt16(0)) { $0 &+ UInt16($1) }
            let (high, low) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
            let stored = frame[first + offset..<first + offset + kind.size]
            return switch kind {
            case .sum8: stored.elementsEqual([low])
            case .negatedSum8: stored.elementsEqual([0 &- low])
            case .xor8: stored.elementsEqual([covered.reduce(0, ^)])
            case .sum16be: stored.elementsEqual([high, low])
            case .sum16le: stored.elementsEqual([low, high])
            }
        }
    }

    /// The largest length of a message in bytes.
    public static let longest = 1024

    let start: [UInt8]
    private let length: Length
    private let end: [UInt8]
    private let checksum: Checksum?
    /// The bytes that have to be there to know the length.
    private let headSize: Int

    /// Creates a layout.
    ///
    /// - Throws: ``PayloadError`` for a length that has no room for the other parts, and without start bytes.
    public init(
        start: [UInt8], length: Length, end: [UInt8] = [], checksum: Checksum? = nil
    ) throws(PayloadError) {
        guard (1...8).contains(start.count), end.count <= 8 else {
            throw PayloadError("a frame begins with 1 to 8 bytes and ends with up to 8")
        }
        (self.start, self.length, self.end, self.checksum) = (start, length, end, checksum)
        switch length {
        case .fixed: headSize = start.count
        case .field(let field, _): headSize = max(start.count, field.end)
        }
        if case .fixed(let count) = length, !(smallest...Self.longest).contains(count) {
            throw PayloadError("a frame has \(smallest) to \(Self.longest) bytes")
        }
        guard headSize <= Self.longest else {
            throw PayloadError("the length of a frame is beyond its \(Self.longest) bytes")
        }
    }

    /// The length of the message that begins with some bytes.
    ///
    /// - Returns: `nil` if more bytes are needed, and 0 for an impossible length.
    func length(of bytes: ArraySlice<UInt8>) -> Int? {
        guard case .field(let field, let plus) = length else {
            if case .fixed(let count) = length { return count }
            return nil
        }
        guard bytes.count >= headSize else { return nil }
        guard let number = field.integer(in: bytes) else { return 0 }
        let (sum, overflow) = Int(number).addingReportingOverflow(plus)
        return !overflow && (smallest...Self.longest).contains(sum) ? sum : 0
    }

    /// Whether bytes are one whole message.
    func accepts(_ frame: ArraySlice<UInt8>) -> Bool {
        guard frame.starts(with: start), length(of: frame) == frame.count,
            frame.suffix(end.count).elementsEqual(end)
        else { return false }
        guard let checksum else { return true }
        return checksum.isRight(in: frame, at: frame.count - end.count - checksum.kind.size)
    }

    private var smallest: Int {
        max(headSize, (checksum?.from ?? 0) + 1) + (checksum?.kind.size ?? 0) + end.count
    }
}

/// A number in a binary message: `u16be@10`, its type and the offset of its first byte from 0.
///
/// The types are `u8`, `s8`, and `u16`, `s16`, `u24`, `s24`, `u32`, `s32` and `f32` (IEEE 754), followed by `be`
/// or `le` for the order of their bytes.
public struct FrameField: Hashable, Sendable {
    private enum Form: Hashable {
        case unsigned, signed, floating
    }

    private let form: Form
    private let size: Int
    private let isBigEndian: Bool
    private let offset: Int

    /// The offset of the first byte after it.
    var end: Int { offset + size }

    /// - Returns: `nil` for another text.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let letter = parts[0].first, parts[1].allSatisfy(\.isASCII),
            let offset = Int(parts[1]), (0..<FrameLayout.longest).contains(offset)
        else { return nil }
        let forms: [Character: Form] = ["u": .unsigned, "s": .signed, "f": .floating]
        guard let form = forms[letter] else { return nil }
        let order = parts[0].suffix(2)
        let hasOrder = order == "be" || order == "le"
        let width = parts[0].dropFirst().dropLast(hasOrder ? 2 : 0)
        let widths = form == .floating ? ["32"] : hasOrder ? ["16", "24", "32"] : ["8"]
        guard hasOrder || form != .floating, widths.contains(String(width)),
            let bits = Int(width)
        else { return nil }
        (self.form, size, isBigEndian, self.offset) = (form, bits / 8, order != "le", offset)
    }

    /// The number as an integer; `nil` if the message is too short, and for `f32`.
    func integer(in frame: ArraySlice<UInt8>) -> Int64? {
        guard form != .floating, let raw = raw(in: frame) else { return nil }
        let bits = Int64(size * 8)
        let isNegative = form == .signed && raw >> UInt32(bits - 1) == 1
        return Int64(raw) - (isNegative ? 1 << bits : 0)
    }

    /// The number as a value; `nil` if the message is too short, or if the number is not finite.
    func value(in frame: ArraySlice<UInt8>) -> Value? {
        guard form == .floating else { return integer(in: frame).map { .integer($0) } }
        guard let raw = raw(in: frame) else { return nil }
        let number = Double(Float(bitPattern: raw))
        return number.isFinite ? .number(number) : nil
    }

    private func raw(in frame: ArraySlice<UInt8>) -> UInt32? {
        guard end <= frame.count else { return nil }
        let first = frame.startIndex + offset
        let bytes = frame[first..<first + size]
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | UInt32($1) }
            : bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Finds binary messages in a stream of bytes.
struct FrameSplitter: Sendable {
    private let layout: FrameLayout
    /// How often bytes were skipped because they were no message; consecutive ones count once.
    private(set) var rejected = 0
    private var bytes: [UInt8] = []
    private var isSkipping = false

    init(_ layout: FrameLayout) {
        self.layout = layout
    }

    mutating func take(_ received: some Sequence<UInt8>) -> [[UInt8]] {
        bytes.append(contentsOf: received)
        var frames: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            // The start may still be incomplete.
            let head = rest.prefix(layout.start.count)
            if layout.start.starts(with: head) {
                guard head.count == layout.start.count, let length = layout.length(of: rest) else {
                    break
                }
                if length > 0 {
                    guard rest.count >= length else { break }
                    let frame = rest.prefix(length)
                    if layout.accepts(frame) {
                        frames.append(Array(frame))
                        rest = rest.dropFirst(length)
                        isSkipping = false
                        continue
                    }
                }
            }
            if !isSkipping { rejected += 1 }
            isSkipping = true
            rest = rest.dropFirst()
        }
        bytes = Array(rest)
        return frames
    }
}
