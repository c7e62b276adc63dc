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
