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
