/// A D-Bus value of any type except file descriptors.
///
/// Source: D-Bus Specification 0.42, "Type System".
public indirect enum BusValue: Hashable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`
    case string(String)
    /// The path of an object, `o`.
    case path(String)
    /// A type signature, `g`.
    case signature(String)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// An array with the signature of its elements, since it can be empty.
    case array(of: String, [BusValue])
    /// An array of entries, such as `a{sv}`; the signature is that of an entry, such as `{sv}`.
    case table(of: String, [Entry])
    /// A structure, such as `(ss)`.
    case structure([BusValue])
    /// A variant, `v`.
    case variant(BusValue)

    /// An entry of a table.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public let key: BusValue
        /// The value.
        public let value: BusValue

        /// Creates an entry.
        public init(_ key: BusValue, _ value: BusValue) {
            (self.key, self.value) = (key, value)
        }
    }

    /// Options or properties by name, `a{sv}`, sorted.
    public static func options(_ values: [String: BusValue]) -> BusValue {
        .table(
            of: "{sv}",
            values.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) })
    }

    /// The signature of its type.
    var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .table(let entry, _): "a" + entry
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}

/// Typed access to received values: `nil` for a value of another type; variants are unwrapped.
extension BusValue {
    /// A string or the path of an object.
    public var text: String? {
        switch self {
        case .string(let text), .path(let text): text
        case .variant(let inner): inner.text
        default: nil
        }
    }

    /// A Boolean.
    public var flag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .variant(let inner): inner.flag
        default: nil
        }
    }

    /// An array of bytes.
    public var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let inner): inner.bytes
        default: nil
        }
    }

    /// An integer of any width that fits.
    public var integer: Int64? {
        switch self {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        case .variant(let inner): inner.integer
        default: nil
        }
    }

    /// A double, or an integer of at most 32 bits.
    public var number: Double? {
        switch self {
        case .double(let number): number
        case .byte, .int16, .uint16, .int32, .uint32: integer.map(Double.init)
        case .variant(let inner): inner.number
        default: nil
        }
    }

    /// The elements of an array or a structure.
    public var items: [BusValue]? {
        switch self {
        case .array(_, let items), .structure(let items): items
        case .variant(let inner): inner.items
        default: nil
        }
    }

    /// The strings of an array of strings.
    public var texts: [String]? {
        guard let items else { return nil }
        let texts = items.compactMap(\.text)
        return texts.count == items.count ? texts : nil
    }

    /// The entries of a table.
    public var entries: [Entry]? {
        switch self {
        case .table(_, let entries): entries
        case .variant(let inner): inner.entries
        default: nil
        }
    }

    /// The values of a table with string keys; of duplicate keys the last one counts.
    public var members: [String: BusValue]? {
        guard let entries else { return nil }
        var members: [String: BusValue] = [:]
        for entry in entries {
            guard let key = entry.key.text else { return nil }
            members[key] = entry.value
        }
        return members
    }
}
