internal import CSystemd

/// Reads the arguments of a message, within ``BusLimits``.
struct MessageReader {
    let message: OpaquePointer
    private var values = 0
    private var bytes = 0

    init(message: OpaquePointer) {
        self.message = message
    }

    mutating func all() throws(BusError) -> [BusValue] { try rest(depth: 0) }

    /// The values up to the end of what was entered.
    private mutating func rest(depth: Int) throws(BusError) -> [BusValue] {
        var found: [BusValue] = []
        while let (type, contents) = try next() {
            found.append(try value(type, contents, depth))
        }
        return found
    }

    /// The type of what comes next; `nil` at the end.
    private func next() throws(BusError) -> (type: CChar, contents: String)? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &type, &contents)
        guard result >= 0 else { throw BusError(.malformed, result) }
        guard result > 0 else { return nil }
        return (type, contents.map { String(cString: $0) } ?? "")
    }

    private mutating func value(
        _ type: CChar, _ contents: String, _ depth: Int
    ) throws(BusError) -> BusValue {
        values += 1
        guard depth < BusLimits.depth, values <= BusLimits.values else { throw Self.excess }
        switch type {
        case TypeCode.array: return try array(of: contents, depth)
        case TypeCode.structure:
            return .structure(
                try within(type, contents) { reader throws(BusError) in
                    try reader.rest(depth: depth + 1)
                })
        case TypeCode.variant:
            let inner = try within(type, contents) { reader throws(BusError) in
                try reader.rest(depth: depth + 1)
            }
            guard let value = inner.first, inner.count == 1 else { throw Self.misfit }
            return .variant(value)
        default: return try basic(type)
        }
    }

    private mutating func array(of element: String, _ depth: Int) throws(BusError) -> BusValue {
        if element == "y" {
            var start: UnsafeRawPointer?
            var count = 0
            let result = sd_bus_message_read_array(message, TypeCode.byte, &start, &count)
            guard result >= 0 else { throw BusError(.malformed, result) }
            try charge(count)
            return .bytes(
                start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? [])
        }
        guard element.first == "{" else {
            return .array(
                of: element,
                try within(TypeCode.array, element) { reader throws(BusError) in
                    try reader.rest(depth: depth + 1)
                })
        }
        return .table(
            of: element,
            try within(TypeCode.array, element) { reader throws(BusError) in
                var entries: [BusValue.Entry] = []
                while let (type, contents) = try reader.next() {
                    let pair = try reader.within(type, contents) { reader throws(BusError) in
                        try reader.rest(depth: depth + 1)
                    }
                    guard type == TypeCode.entry, pair.count == 2 else { throw Self.misfit }
                    entries.append(BusValue.Entry(pair[0], pair[1]))
                }
                return entries
            })
    }

    private mutating func within<T>(
        _ type: CChar, _ contents: String,
        _ body: (inout MessageReader) throws(BusError) -> T
    ) throws(BusError) -> T {
        var result = sd_bus_message_enter_container(message, type, contents)
        guard result > 0 else { throw BusError(.malformed, result) }
        let inner = try body(&self)
        result = sd_bus_message_exit_container(message)
        guard result >= 0 else { throw BusError(.malformed, result) }
        return inner
    }

    private mutating func basic(_ type: CChar) throws(BusError) -> BusValue {
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try read(type, 0))
        // sd-bus has a truth value in an int.
        case "b": return .bool(try read(type, Int32(0)) != 0)
        case "n": return .int16(try read(type, 0))
        case "q": return .uint16(try read(type, 0))
        case "i": return .int32(try read(type, 0))
        case "u": return .uint32(try read(type, 0))
        case "x": return .int64(try read(type, 0))
        case "t": return .uint64(try read(type, 0))
        case "d": return .double(try read(type, 0))
        case "s": return .string(try text(type))
        case "o": return .path(try text(type))
        case "g": return .signature(try text(type))
        default: throw Self.misfit
        }
    }

    private func read<T: BitwiseCopyable>(_ type: CChar, _ zero: T) throws(BusError) -> T {
        var value = zero
        let result = sd_bus_message_read_basic(message, type, &value)
        guard result > 0 else { throw BusError(.malformed, result) }
        return value
    }

    private mutating func text(_ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        let result = sd_bus_message_read_basic(message, type, &text)
        guard result > 0, let text else { throw BusError(.malformed, result) }
        let copy = String(cString: text)
        try charge(copy.utf8.count)
        return copy
    }

    private mutating func charge(_ count: Int) throws(BusError) {
        bytes += count
        guard bytes <= BusLimits.bytes else { throw Self.excess }
    }

    private static let misfit = BusError(.malformed, "a message holds what is not taken")
    private static let excess = BusError(.excessive, "a message is too large")
}
