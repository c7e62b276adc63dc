/// A method call.
///
/// ```swift
/// BusCall(
///     "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1", "StartDiscovery")
/// ```
public struct BusCall: Hashable, Sendable {
    /// A name on the bus, such as `org.bluez` or `:1.7`.
    public let destination: String
    /// The path of the object.
    public let path: String
    /// The interface of the method.
    public let interface: String
    /// The name of the method.
    public let method: String
    /// The arguments.
    public let arguments: [BusValue]

    /// Creates a call.
    public init(
        _ destination: String, path: String, interface: String, _ method: String,
        _ arguments: [BusValue] = []
    ) {
        (self.destination, self.path) = (destination, path)
        (self.interface, self.method, self.arguments) = (interface, method, arguments)
    }

    /// Asks the bus for the unique name of the owner of a name, without starting a service.
    ///
    /// It fails with `org.freedesktop.DBus.Error.NameHasNoOwner` if there is none.
    public static func owner(of name: String) -> BusCall {
        BusCall(
            BusSignal.bus, path: "/org/freedesktop/DBus", interface: BusSignal.bus,
            "GetNameOwner", [.string(name)])
    }
}

/// A received signal.
public struct BusSignal: Hashable, Sendable {
    /// The name of the bus itself, and of its interface.
    public static let bus = "org.freedesktop.DBus"

    /// The unique name of the sender, such as `:1.7`, which the bus sets.
    public let sender: String
    /// The path of the object.
    public let path: String
    /// The interface of the signal.
    public let interface: String
    /// The name of the signal.
    public let member: String
    /// The arguments.
    public let arguments: [BusValue]

    /// Creates a signal.
    public init(
        sender: String, path: String, interface: String, member: String, arguments: [BusValue]
    ) {
        (self.sender, self.path) = (sender, path)
        (self.interface, self.member, self.arguments) = (interface, member, arguments)
    }
}

/// A match rule: which signals are received.
public struct BusMatch: Hashable, Sendable {
    /// A unique name, or the name of the bus itself.
    ///
    /// Well-known names are not enough: any program can send a signal to one client, and only the unique
    /// name identifies the sender.
    public let sender: String
    /// The path of an object.
    public let path: String?
    /// A path; signals of its object and of the objects below it match.
    public let namespace: String?
    /// The interface of the signal.
    public let interface: String?
    /// The name of the signal.
    public let member: String?
    /// The first argument, a string.
    public let first: String?

    /// Creates a rule; `nil` matches everything.
    public init(
        sender: String, path: String? = nil, namespace: String? = nil, interface: String? = nil,
        member: String? = nil, first: String? = nil
    ) {
        (self.sender, self.path, self.namespace) = (sender, path, namespace)
        (self.interface, self.member, self.first) = (interface, member, first)
    }

    /// The signal for a new owner of a name.
    public static func owner(of name: String) -> BusMatch {
        BusMatch(
            sender: BusSignal.bus, interface: BusSignal.bus, member: "NameOwnerChanged",
            first: name)
    }

    /// The rule in the syntax of the bus.
    var rule: String {
        let parts: [(String, String?)] = [
            ("type", "signal"), ("sender", sender), ("path", path), ("path_namespace", namespace),
            ("interface", interface), ("member", member), ("arg0", first),
        ]
        return parts.compactMap { key, value in
            // A quote within a value is written outside of the quotes around the value.
            value.map { "\(key)='\($0.replacing("'", with: "'\\''"))'" }
        }.joined(separator: ",")
    }

    func matches(_ signal: BusSignal) -> Bool {
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
