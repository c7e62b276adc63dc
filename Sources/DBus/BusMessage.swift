import CSystemd

/// A message of sd-bus, released with this value.
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a message.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// A message that calls a method.
    static func calling(
        _ call: BusCall, on bus: OpaquePointer
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(
            bus, &made, call.destination, call.path, call.interface, call.method)
        guard result >= 0, let made else { throw BusError(.malformed, result) }
        let message = BusMessage(made)
        for argument in call.arguments { try MessageWriter(message: made).append(argument) }
        return message
    }

    deinit { sd_bus_message_unref(pointer) }

    var type: UInt8 {
        var type: UInt8 = 0
        sd_bus_message_get_type(pointer, &type)
        return type
    }

    var sender: String? {
        sd_bus_message_get_sender(pointer).map { String(cString: $0) }
    }

    /// The cookie of the call to which this replies.
    var answered: UInt64? {
        var cookie: UInt64 = 0
        return sd_bus_message_get_reply_cookie(pointer, &cookie) >= 0 ? cookie : nil
    }

    /// The arguments of a reply, or its error.
    func outcome() -> PendingCall.Outcome {
        if let error = sd_bus_message_get_error(pointer)?.pointee, let name = error.name {
            let text = error.message.map { String(cString: $0) } ?? ""
            let shown = String(cString: name)
            return .failure(
                BusError(
                    .refused, name: String(shown.prefix(256)),
                    text.isEmpty ? shown : String(text.prefix(1024))))
        }
        return Result { () throws(BusError) in try arguments() }
    }

    /// - Throws: ``BusError`` for a message that exceeds ``BusLimits`` or has an unsupported type.
    func arguments() throws(BusError) -> [BusValue] {
        var reader = MessageReader(message: pointer)
        return try reader.all()
    }

    /// The signal; `nil` without sender, path, interface or name.
    func signal() throws(BusError) -> BusSignal? {
        guard let sender, let path = sd_bus_message_get_path(pointer),
            let interface = sd_bus_message_get_interface(pointer),
            let member = sd_bus_message_get_member(pointer)
        else { return nil }
        return BusSignal(
            sender: sender, path: String(cString: path),
            interface: String(cString: interface), member: String(cString: member),
            arguments: try arguments())
    }
}

/// Reads the arguments of a message, within ``BusLimits``.
private struct MessageReader {
    let message: OpaquePointer
    private var values = 0
    private var bytes = 0

    init(message: OpaquePointer) {
        self.message = message
    }

    mutating func all() throws(BusError) -> [BusValue] { try rest(depth: 0) }

    /// The values up to the end of the current container.
    private mutating func rest(depth: Int) throws(BusError) -> [BusValue] {
        var found: [BusValue] = []
        while let (type, contents) = try next() {
            found.append(try value(type, contents, depth))
        }
        return found
    }

    /// The type of the next value; `nil` at the end.
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
            guard let value = inner.first, inner.count == 1 else { throw Self.unsupported }
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
                    guard type == TypeCode.entry, pair.count == 2 else { throw Self.unsupported }
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
        // sd-bus represents a Boolean as an int.
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
        default: throw Self.unsupported
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

    private static let unsupported = BusError(.malformed, "a message has unsupported content")
    private static let excess = BusError(.excessive, "a message is too large")
}

/// Writes the arguments of a message.
private struct MessageWriter {
    let message: OpaquePointer

    /// - Throws: ``BusError`` for a value that D-Bus rejects, such as an invalid path.
    func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): try append(number, "y")
        case .bool(let flag): try append(Int32(flag ? 1 : 0), "b")
        case .int16(let number): try append(number, "n")
        case .uint16(let number): try append(number, "q")
        case .int32(let number): try append(number, "i")
        case .uint32(let number): try append(number, "u")
        case .int64(let number): try append(number, "x")
        case .uint64(let number): try append(number, "t")
        case .double(let number): try append(number, "d")
        case .string(let text): try append(text, "s")
        case .path(let text): try append(text, "o")
        case .signature(let text): try append(text, "g")
        case .bytes(let bytes):
            try check(
                bytes.withUnsafeBytes {
                    sd_bus_message_append_array(message, TypeCode.byte, $0.baseAddress, $0.count)
                })
        case .array(let element, let items):
            try within(TypeCode.array, element, items)
        case .table(let entry, let entries):
            try check(sd_bus_message_open_container(message, TypeCode.array, entry))
            for item in entries {
                try within(
                    TypeCode.entry, String(entry.dropFirst().dropLast()), [item.key, item.value])
            }
            try check(sd_bus_message_close_container(message))
        case .structure(let values):
            try within(TypeCode.structure, values.map(\.signature).joined(), values)
        case .variant(let inner):
            try within(TypeCode.variant, inner.signature, [inner])
        }
    }

    private func within(
        _ type: CChar, _ contents: String, _ values: [BusValue]
    ) throws(BusError) {
        try check(sd_bus_message_open_container(message, type, contents))
        for value in values { try append(value) }
        try check(sd_bus_message_close_container(message))
    }

    private func append(
        _ number: some BitwiseCopyable, _ letter: Unicode.Scalar
    ) throws(BusError) {
        try check(
            withUnsafeBytes(of: number) {
                sd_bus_message_append_basic(message, TypeCode.code(letter), $0.baseAddress)
            })
    }

    private func append(_ text: String, _ letter: Unicode.Scalar) throws(BusError) {
        // A C string would end at the zero byte.
        guard !text.utf8.contains(0) else {
            throw BusError(.malformed, "a text with a zero byte cannot be sent")
        }
        try check(
            text.withCString {
                sd_bus_message_append_basic(message, TypeCode.code(letter), $0)
            })
    }

    private func check(_ result: Int32) throws(BusError) {
        guard result >= 0 else { throw BusError(.malformed, result) }
    }
}

/// The type codes of sd-bus.
private enum TypeCode {
    static func code(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

    static let array = code("a")
    static let entry = code("e")
    static let structure = code("r")
    static let variant = code("v")
    static let byte = code("y")
}
