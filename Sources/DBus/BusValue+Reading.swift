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
