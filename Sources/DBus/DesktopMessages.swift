import Glibc

/// Shows messages on the person's desktop, where there is one.
///
/// Source: Desktop Notifications Specification 1.2. The bus is opened anew for each message, so that a
/// desktop that was started again is found, and nothing is held while nothing is said.
public actor DesktopMessages {
    /// The messages whose number is remembered, so that others can take their place.
    private static let remembered = 256

    private let address: String
    private var numbers: [String: UInt32] = [:]
    private var order: [String] = []

    /// - Parameter address: of the session bus, as D-Bus writes it.
    public init(address: String) {
        self.address = address
    }

    /// The address of the session bus; `nil` where the environment names none and none is in its place.
    public static func address(in environment: [String: String]) -> String? {
        if let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty { return named }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        var information = stat()
        guard stat("\(folder)/bus", &information) == 0,
            information.st_mode & S_IFMT == S_IFSOCK
        else { return nil }
        return BusAddress.socket(at: "\(folder)/bus")
    }

    /// The name of the program that shows messages.
    ///
    /// - Throws: `unreachable` when the bus is not there, `refused` when nobody shows messages.
    public func serverName() async throws(DesktopError) -> String {
        try await SessionBus.with(address: address) { bus throws(DesktopError) in
            try await bus.serverName()
        }
    }

    /// Shows a message in the place of an earlier one of the same tag.
    ///
    /// - Parameters:
    ///   - summary: plain text.
    ///   - body: plain text; nothing of it is taken for markup.
    /// - Throws: `unreachable` when the bus is not there, `refused` when nobody shows messages.
    public func show(
        summary: String, body: String, tag: String? = nil
    ) async throws(DesktopError) {
        let replaced = tag.flatMap { numbers[$0] } ?? 0
        let number = try await SessionBus.with(address: address) { bus throws(DesktopError) in
            // Who does not say what it can do may well take markup for what it is.
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

/// The person's session bus, and who shows messages there; every call takes two seconds at most.
struct SessionBus: Sendable {
    private static let patience = Duration.seconds(2)
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: BusConnection

    /// Opens the bus, and closes it when nothing more is asked of it.
    ///
    /// - Throws: `unreachable` when nobody is there, and what `body` throws.
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

    /// The name of the program that shows messages.
    func serverName() async throws(DesktopError) -> String {
        guard let name = try await call("GetServerInformation").first?.text else {
            throw Self.malformed
        }
        return name
    }

    /// What that program can do, such as `body-markup`.
    func capabilities() async throws(DesktopError) -> [String] {
        guard let found = try await call("GetCapabilities").first?.texts else {
            throw Self.malformed
        }
        return found
    }

    /// Shows a message.
    ///
    /// - Parameter replaced: the number of a message whose place it takes; 0 for none.
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
            return try await bus.call(call, within: Self.patience)
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ error: BusError) -> DesktopError {
        guard error.code == .unreachable else {
            return DesktopError(.refused, "The desktop did not take a message: \(error.message)")
        }
        return DesktopError(
            .unreachable, "The session bus cannot be reached: \(error.message).")
    }

    private static var malformed: DesktopError {
        DesktopError(.refused, "The desktop's answer was none.")
    }
}

/// Why the desktop did not show something.
public struct DesktopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case unreachable, refused }
        private let kind: Kind

        /// Nobody answers at the address of the bus.
        public static let unreachable = Code(kind: .unreachable)
        /// The bus is there, and nobody on it shows messages, or not this one.
        public static let refused = Code(kind: .refused)
    }

    public let code: Code
    /// One sentence.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
