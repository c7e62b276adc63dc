/// A call of a method.
public struct BusCall: Hashable, Sendable {
    /// A name on the bus, such as `org.bluez` or `:1.7`.
    public let destination: String
    /// Of the object.
    public let path: String
    public let interface: String
    public let method: String
    public let arguments: [BusValue]

    public init(
        _ destination: String, path: String, interface: String, _ method: String,
        _ arguments: [BusValue] = []
    ) {
        (self.destination, self.path) = (destination, path)
        (self.interface, self.method, self.arguments) = (interface, method, arguments)
    }

    /// Asks the bus for the unique name of who has a name now.
    ///
    /// Refused with `org.freedesktop.DBus.Error.NameHasNoOwner` where nobody has. Starts no service.
    public static func owner(of name: String) -> BusCall {
        BusCall(
            BusSignal.bus, path: "/org/freedesktop/DBus", interface: BusSignal.bus,
            "GetNameOwner", [.string(name)])
    }
}

/// A signal that came.
public struct BusSignal: Hashable, Sendable {
    /// The name of the bus itself, and of its interface.
    public static let bus = "org.freedesktop.DBus"

    /// The unique name of who sent it, such as `:1.7`; the bus fills it in, so it can be believed.
    public let sender: String
    /// Of the object.
    public let path: String
    public let interface: String
    public let member: String
    public let arguments: [BusValue]

    public init(
        sender: String, path: String, interface: String, member: String, arguments: [BusValue]
    ) {
        (self.sender, self.path) = (sender, path)
        (self.interface, self.member, self.arguments) = (interface, member, arguments)
    }
}

/// Which signals are wanted.
public struct BusMatch: Hashable, Sendable {
    /// A unique name, or that of the bus.
    ///
    /// Not a name that several can have: anybody may send a signal to
    /// one client alone, and only the unique name tells who did.
    public let sender: String
    /// The path of an object.
    public let path: String?
    /// A path, for all objects at it and beneath.
    public let namespace: String?
    public let interface: String?
    public let member: String?
    /// What the first argument is, a string.
    public let first: String?

    public init(
        sender: String, path: String? = nil, namespace: String? = nil, interface: String? = nil,
        member: String? = nil, first: String? = nil
    ) {
        (self.sender, self.path, self.namespace) = (sender, path, namespace)
        (self.interface, self.member, self.first) = (interface, member, first)
    }

    /// Tells when a name passes to another.
    public static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: BusSignal.bus, interface: BusSignal.bus, member: "NameOwnerChanged",
            first: name)
    }

    /// The rule as the bus takes it.
    var rule: String {
        let parts: [(String, String?)] = [
            ("type", "signal"), ("sender", sender), ("path", path), ("path_namespace", namespace),
            ("interface", interface), ("member", member), ("arg0", first),
        ]
        return parts.compactMap { key, value in
            // A quote within quotes is one that stands outside of them.
            value.map { "\(key)='\($0.replacing("'", with: "'\\''"))'" }
        }.joined(separator: ",")
    }

    func fits(_ signal: BusSignal) -> Bool {
        func isBeneath(_ folder: String) -> Bool {
            folder == "/" || signal.path == folder || signal.path.hasPrefix(folder + "/")
        }
        return signal.sender == sender && path.map { $0 == signal.path } != false
            && namespace.map(isBeneath) != false
            && interface.map { $0 == signal.interface } != false
            && member.map { $0 == signal.member } != false
            && first.map { .string($0) == signal.arguments.first } != false
    }
}
