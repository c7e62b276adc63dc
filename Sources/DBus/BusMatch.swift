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
