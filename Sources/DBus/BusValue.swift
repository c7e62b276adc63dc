/// A value of D-Bus, of any type but a descriptor.
///
/// Source: D-Bus Specification 0.42, "Type System".
public indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    /// The path of an object.
    case path(String)
    /// The signature of types.
    case signature(String)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// An array of any other type, whose signature is given because it may be empty.
    case array(of: String, [BusValue])
    /// An array of entries, such as `a{sv}`; the signature is that of an entry, such as `{sv}`.
    case table(of: String, [Entry])
    case structure([BusValue])
    case variant(BusValue)

    /// One entry of a table.
    public struct Entry: Hashable, Sendable {
        public let key: BusValue
        public let value: BusValue

        public init(_ key: BusValue, _ value: BusValue) {
            (self.key, self.value) = (key, value)
        }
    }

    /// Options or properties by their names, `a{sv}`, in the order of the names.
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

/// What a program asks of a value that came over the bus. Every answer is `nil` for a value of another
/// type; variants are looked into.
extension BusValue {
    /// A string or the path of an object.
    public var text: String? {
        switch self {
        case .string(let text), .path(let text): text
        case .variant(let inner): inner.text
        default: nil
        }
    }

    public var flag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .variant(let inner): inner.flag
        default: nil
        }
    }

    public var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let inner): inner.bytes
        default: nil
        }
    }

    /// A whole number of any width that fits.
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

    public var entries: [Entry]? {
        switch self {
        case .table(_, let entries): entries
        case .variant(let inner): inner.entries
        default: nil
        }
    }

    /// The values of a table whose keys are texts; of two with one key the last counts.
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
