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
