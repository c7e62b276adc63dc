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
