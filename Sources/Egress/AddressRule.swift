import Addresses

/// Decides which addresses an origin may resolve to.
///
/// An app reaches a private address or this machine only by the address itself, as `localhost`, or by a name
/// of the local network. A public name must not resolve to such an address, so that DNS rebinding has no
/// effect.
public struct AddressRule: Sendable {
    /// No restriction, for servers that the owner chose.
    public static let unrestricted = AddressRule(ownPorts: nil)

    /// The ports of this host; `nil` without a restriction.
    private let ownPorts: (@Sendable () -> Set<Int>)?

    private init(ownPorts: (@Sendable () -> Set<Int>)?) {
        self.ownPorts = ownPorts
    }

    /// The rule for calls of apps.
    ///
    /// - Parameter ownPorts: the ports on which this host listens; calls to them are refused.
    public static func apps(ownPorts: @escaping @Sendable () -> Set<Int>) -> AddressRule {
        AddressRule(ownPorts: ownPorts)
    }

    /// Refuses origins that no app may call, whatever is granted.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ origin: WebOrigin) throws(EgressError) {
        guard let ownPorts else { return }
        guard origin.host.reach != .forbidden else {
            let what =
                if case .address(let address) = origin.host {
                    "is \(address.scope.name)"
                } else {
                    "is the name of an app of this host"
                }
            throw EgressError(.addressRefused, "\(origin.host) \(what), which no app may call.")
        }
        if origin.host.reach == .ownMachine { try check(origin, against: ownPorts()) }
    }

    /// Refuses an address that the origin's host may not resolve to.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ address: IPAddress, of origin: WebOrigin) throws(EgressError) {
        guard let ownPorts else { return }
        let scope = address.scope
        let isAllowed =
            switch (origin.host, origin.host.reach, scope.reach) {
            case (_, _, .forbidden): false
            case (.address(let named), _, _): named == address
            case (.name, .ownMachine, let reach): reach == .ownMachine
            case (.name, .ownNetwork, let reach): reach == .ownNetwork || reach == .internet
            case (.name, _, let reach): reach == .internet
            }
        guard isAllowed else {
            throw EgressError(
                .addressRefused,
                "\(origin.host) resolves to \(address), \(scope.name), which is not allowed for"
                    + " this name.",
                hint: scope.reach == .forbidden
                    ? nil : "Use the address of a device of your own network instead of a name.")
        }
        if scope.reach == .ownMachine { try check(origin, against: ownPorts()) }
    }

    private func check(_ origin: WebOrigin, against ownPorts: Set<Int>) throws(EgressError) {
        guard !ownPorts.contains(Int(origin.port)) else {
            throw EgressError(
                .ownHost, "\(origin) is this host itself.",
                hint: "Call the host at the app's own address, such as /api/v1/me.")
        }
    }
}
