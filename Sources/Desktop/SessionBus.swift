import CSystemd
import Glibc

/// A connection to the person's session bus; every call blocks, for two seconds at most.
struct SessionBus: ~Copyable {
    private static let patience: UInt64 = 2_000_000
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: OpaquePointer

    /// - Throws: `unreachable` when nobody is there.
    init(address: String) throws(DesktopError) {
        var made: OpaquePointer?
        var result = sd_bus_new(&made)
        guard result >= 0, let made else { throw Self.unreachable(result) }
        result = sd_bus_set_address(made, address)
        if result >= 0 { result = sd_bus_set_bus_client(made, 1) }
        if result >= 0 { result = sd_bus_start(made) }
        guard result >= 0 else {
            sd_bus_unref(made)
            throw Self.unreachable(result)
        }
        bus = made
    }

    deinit { sd_bus_flush_close_unref(bus) }

    /// The name of the program that shows messages.
    func serverName() throws(DesktopError) -> String {
        let reply = try call(try method("GetServerInformation"))
        var name: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(reply.pointer, Self.type("s"), &name) > 0, let name else {
            throw Self.malformed
        }
        return String(cString: name)
    }

    /// What that program can do, such as `body-markup`.
    func capabilities() throws(DesktopError) -> [String] {
        let reply = try call(try method("GetCapabilities"))
        guard sd_bus_message_enter_container(reply.pointer, Self.type("a"), "s") > 0 else {
            throw Self.malformed
        }
        var found: [String] = []
        var name: UnsafePointer<CChar>?
        while sd_bus_message_read_basic(reply.pointer, Self.type("s"), &name) > 0, let name {
            found.append(String(cString: name))
        }
        return found
    }

    /// Shows a message.
    ///
    /// - Parameter replaced: the number of a message whose place it takes; 0 for none.
    /// - Returns: its number.
    func notify(
        summary: String, body: String, replacing replaced: UInt32
    ) throws(DesktopError) -> UInt32 {
        let message = try method("Notify")
        var (number, lifetime) = (replaced, Int32(-1))
        var result = Self.append("Nervous", to: message)
        result = min(result, sd_bus_message_append_basic(message.pointer, Self.type("u"), &number))
        for text in ["", summary, body] { result = min(result, Self.append(text, to: message)) }
        for (kind, contents) in [("a", "s"), ("a", "{sv}")] {
            result = min(
                result,
                sd_bus_message_open_container(message.pointer, Self.type(kind), contents),
                sd_bus_message_close_container(message.pointer))
        }
        result = min(
            result, sd_bus_message_append_basic(message.pointer, Self.type("i"), &lifetime))
        guard result >= 0 else { throw Self.refused(Self.text(of: result)) }
        let reply = try call(message)
        guard sd_bus_message_read_basic(reply.pointer, Self.type("u"), &number) > 0 else {
            throw Self.malformed
        }
        return number
    }

    // MARK: - Private

    /// A message that is let go with this value.
    private final class Message {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { sd_bus_message_unref(pointer) }
    }

    private func method(_ name: String) throws(DesktopError) -> Message {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(
            bus, &made, Self.service, Self.path, Self.service, name)
        guard result >= 0, let made else { throw Self.unreachable(result) }
        return Message(made)
    }

    private func call(_ message: Message) throws(DesktopError) -> Message {
        var failure = sd_bus_error()
        defer { sd_bus_error_free(&failure) }
        var answer: OpaquePointer?
        let result = sd_bus_call(bus, message.pointer, Self.patience, &failure, &answer)
        guard result >= 0, let answer else {
            let reason = failure.message.map { String(cString: $0) }
            throw Self.refused(reason ?? Self.text(of: result))
        }
        return Message(answer)
    }

    private static func append(_ text: String, to message: Message) -> Int32 {
        // A text ends for C where it has a zero byte; those that come here have none.
        text.withCString { sd_bus_message_append_basic(message.pointer, type("s"), $0) }
    }

    /// A type of D-Bus by its letter.
    private static func type(_ letter: String) -> CChar {
        letter.utf8.first.map { CChar(bitPattern: $0) } ?? 0
    }

    private static func text(of result: Int32) -> String {
        String(cString: strerror(-result)).lowercased()
    }

    private static func unreachable(_ result: Int32) -> DesktopError {
        DesktopError(.unreachable, "The session bus cannot be reached: \(text(of: result)).")
    }

    private static func refused(_ reason: String) -> DesktopError {
        DesktopError(.refused, "The desktop did not take a message: \(reason)")
    }

    private static var malformed: DesktopError {
        DesktopError(.refused, "The desktop's answer was none.")
    }
}
