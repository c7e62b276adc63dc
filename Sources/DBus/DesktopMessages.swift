import Glibc

/// Shows notifications on the owner's desktop, if there is one.
///
/// Each message is sent over a new connection to the bus, so that a restarted desktop is found and no
/// connection is kept open. Source: Desktop Notifications Specification 1.2.
///
/// ```swift
/// let messages = DesktopMessages(address: address)
/// try await messages.show(summary: "Nervous", body: "load-watch asks for permission.")
/// ```
public actor DesktopMessages {
    /// How many messages can be replaced later.
    private static let remembered = 256

    private let address: String
    private var numbers: [String: UInt32] = [:]
    private var order: [String] = []

    /// Creates a sender.
    ///
    /// - Parameter address: the D-Bus address of the session bus.
    public init(address: String) {
        self.address = address
    }

    /// The address of the session bus; `nil` if the environment has none and its usual socket is missing.
    public static func address(in environment: [String: String]) -> String? {
        if let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty { return named }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        var information = stat()
        guard stat("\(folder)/bus", &information) == 0,
            information.st_mode & S_IFMT == S_IFSOCK
        else { return nil }
        return BusAddress.socket(at: "\(folder)/bus")
    }

    /// The name of the notification server.
    ///
    /// - Throws: `unreachable` without a bus, `refused` without a notification server.
    public func serverName() async throws(DesktopError) -> String {
        try await SessionBus.with(address: address) { bus throws(DesktopError) in
            try await bus.serverName()
        }
    }

    /// Shows a message; it replaces an earlier one with the same tag.
    ///
    /// - Parameters:
    ///   - summary: plain text.
    ///   - body: plain text; markup in it is escaped.
    /// - Throws: `unreachable` without a bus, `refused` without a notification server.
    public func show(
        summary: String, body: String, tag: String? = nil
    ) async throws(DesktopError) {
        let replaced = tag.flatMap { numbers[$0] } ?? 0
        let number = try await SessionBus.with(address: address) { bus throws(DesktopError) in
            // A server that does not report its capabilities may interpret markup.
            let isMarkup = (try? await bus.capabilities().contains("body-markup")) ?? true
            return try await bus.notify(
                summary: summary, body: isMarkup ? Self.escaped(body) : body, replacing: replaced)
        }
        if let tag { remember(number, for: tag) }
    }

    // MARK: - Private

    private func remember(_ number: UInt32, for tag: String) {
        if numbers.updateValue(number, forKey: tag) == nil { order.append(tag) }
        guard order.count > Self.remembered else { return }
        numbers[order.removeFirst()] = nil
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

/// The notification server on the session bus; each call has a limit of two seconds.
private struct SessionBus: Sendable {
    private static let limit = Duration.seconds(2)
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: BusConnection

    /// Connects to the bus for the duration of `body`.
    ///
    /// - Throws: `unreachable`, and what `body` throws.
    static func with<T: Sendable>(
        address: String, _ body: (SessionBus) async throws(DesktopError) -> T
    ) async throws(DesktopError) -> T {
        let session: SessionBus
        do throws(BusError) {
            session = SessionBus(bus: try BusConnection(address: address))
        } catch {
            throw Self.fault(error)
        }
        let result: Result<T, DesktopError>
        do throws(DesktopError) {
            result = .success(try await body(session))
        } catch {
            result = .failure(error)
        }
        await session.bus.close()
        return try result.get()
    }

    /// The name of the notification server.
    func serverName() async throws(DesktopError) -> String {
        guard let name = try await call("GetServerInformation").first?.text else {
            throw Self.malformed
        }
        return name
    }

    /// The capabilities of the server, such as `body-markup`.
    func capabilities() async throws(DesktopError) -> [String] {
        guard let found = try await call("GetCapabilities").first?.texts else {
            throw Self.malformed
        }
        return found
    }

    /// Shows a message.
    ///
    /// - Parameter replaced: the number of the message that it replaces; 0 for none.
    /// - Returns: its number.
    func notify(
        summary: String, body: String, replacing replaced: UInt32
    ) async throws(DesktopError) -> UInt32 {
        let reply = try await call(
            "Notify",
            [
                .string("Nervous"), .uint32(replaced), .string(""), .string(summary), .string(body),
                .array(of: "s", []), .options([:]), .int32(-1),
            ])
        guard case .uint32(let number)? = reply.first else { throw Self.malformed }
        return number
    }

    // MARK: - Private

    private func call(
        _ method: String, _ arguments: [BusValue] = []
    ) async throws(DesktopError) -> [BusValue] {
        let call = BusCall(
            Self.service, path: Self.path, interface: Self.service, method, arguments)
        do throws(BusError) {
            return try await bus.call(call, within: Self.limit)
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ error: BusError) -> DesktopError {
        guard error.code == .unreachable else {
            return DesktopError(.refused, "The desktop rejected a message: \(error.message)")
        }
        return DesktopError(
            .unreachable, "The session bus cannot be reached: \(error.message).")
    }

    private static var malformed: DesktopError {
        DesktopError(.refused, "The desktop sent an invalid reply.")
    }
}

/// An error of a desktop notification.
public struct DesktopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The session bus cannot be reached.
        case unreachable
        /// There is no notification server, or it rejected the message.
        case refused
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
