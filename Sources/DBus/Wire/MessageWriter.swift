internal import CSystemd

/// Writes the arguments of a message.
struct MessageWriter {
    let message: OpaquePointer

    /// - Throws: ``BusError`` for what D-Bus does not take, such as a path that is none.
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
        // For C a text would end there.
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
