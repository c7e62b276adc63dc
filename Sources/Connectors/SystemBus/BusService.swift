import DBus

/// A service on a bus, addressed by its unique name, so that no other program can answer or send signals in its
/// place.
struct BusService: Sendable {
    /// The interface of properties, D-Bus Specification 0.42.
    static let properties = "org.freedesktop.DBus.Properties"

    let name: String
    private let bus: BusConnection
    private let owner: String

    /// - Parameter startsIfNeeded: whether the bus starts the service if it does not run.
    /// - Throws: ``BusError``; `refused` if it does not run.
    init(_ name: String, on bus: BusConnection, startsIfNeeded: Bool = false) async throws(BusError)
    {
        var found: String?
        do throws(BusError) {
            found = try await bus.call(.owner(of: name)).first?.text
        } catch {
            guard startsIfNeeded, error.code == .refused else { throw error }
            let call = BusCall(
                BusSignal.bus, path: "/org/freedesktop/DBus", interface: BusSignal.bus,
                "StartServiceByName", [.string(name), .uint32(0)])
            _ = try await bus.call(call)
            found = try await bus.call(.owner(of: name)).first?.text
        }
        (self.name, self.bus, owner) = (name, bus, found ?? "")
    }

    /// Calls a method of an object.
    @discardableResult
    func call(
        _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = []
    ) async throws(BusError) -> [BusValue] {
        try await bus.call(
            BusCall(owner, path: path, interface: interface, method, arguments))
    }

    /// All properties of an interface of an object.
    func properties(
        of path: String, _ interface: String
    ) async throws(BusError) -> [String: BusValue] {
        try await call(path, Self.properties, "GetAll", [.string(interface)]).first?.members ?? [:]
    }

    /// Signals of an interface of the service, and the end of the service.
    func signals(
        _ interface: String, at path: String? = nil
    ) -> AsyncThrowingStream<BusSignal, any Error> {
        bus.signals([match(interface, at: path), .owner(of: name)])
    }

    /// Changes of properties of an object, signals of a further interface, and the end of the service.
    func changes(
        at path: String, and further: String? = nil
    ) -> AsyncThrowingStream<BusSignal, any Error> {
        var matches = [match(Self.properties, at: path), .owner(of: name)]
        if let further { matches.append(match(further, at: nil)) }
        return bus.signals(matches)
    }

    /// The rule for signals of an interface of the service.
    func match(_ interface: String, at path: String?) -> BusMatch {
        BusMatch(sender: owner, path: path, interface: interface)
    }
}

/// Properties of an object that changed.
struct PropertyChange: Hashable, Sendable {
    let path: String
    let interface: String
    let changed: [String: BusValue]
    /// The names of properties that changed, and whose new values are not in the signal, or that are gone.
    let invalidated: [String]

    /// - Returns: `nil` for another signal, and for one with unexpected types.
    init?(_ signal: BusSignal) {
        guard signal.interface == BusService.properties, signal.member == "PropertiesChanged",
            signal.arguments.count >= 2, let interface = signal.arguments[0].text,
            let changed = signal.arguments[1].members
        else { return nil }
        (path, self.interface, self.changed) = (signal.path, interface, changed)
        invalidated = signal.arguments.dropFirst(2).first?.texts ?? []
    }
}
