internal import CSystemd

/// A message of sd-bus that is let go with this value.
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over a message.
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

    /// The number of the call that this answers.
    var answered: UInt64? {
        var cookie: UInt64 = 0
        return sd_bus_message_get_reply_cookie(pointer, &cookie) >= 0 ? cookie : nil
    }

    /// What an answer says, or the error that it is.
    func outcome() -> BusTicket.Outcome {
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

    /// - Throws: ``BusError`` for what is too large or of a type that is not taken.
    func arguments() throws(BusError) -> [BusValue] {
        var reader = MessageReader(message: pointer)
        return try reader.all()
    }

    /// The signal that this is; `nil` for what cannot be read as one.
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
