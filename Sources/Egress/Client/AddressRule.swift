import Addresses

/// Which addresses a granted origin may lead to.
///
/// What lies in the own network or on this machine has to be named: by its address, as `localhost`, or
/// by a name that means a device of the own network. A name of the Internet never leads there, whatever
/// its owner says that its address is.
struct AddressRule: Sendable {
    /// The ports of this host.
    let ownPorts: @Sendable () -> Set<Int>

    /// Refuses what no grant opens, before anybody is asked for one.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ origin: WebOrigin) throws(NetError) {
        guard origin.host.reach != .forbidden else {
            let what =
                if case .address(let address) = origin.host {
                    "is \(address.scope.name)"
                } else {
                    "is the name of an app of this host"
                }
            throw NetError(.addressRefused, "\(origin.host) \(what), which no app may call.")
        }
        if origin.host.reach == .ownMachine { try checkPort(of: origin) }
    }

    /// Whether an origin may lead to an address.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ address: IPAddress, of origin: WebOrigin) throws(NetError) {
        let scope = address.scope
        let isNamed =
            switch (origin.host, origin.host.reach, scope.reach) {
            case (_, _, .forbidden): false
            case (.address(let named), _, _): named == address
            case (.name, .ownMachine, let reach): reach == .ownMachine
            case (.name, .ownNetwork, let reach): reach == .ownNetwork || reach == .internet
            case (.name, _, let reach): reach == .internet
            }
        guard isNamed else {
            throw NetError(
                .addressRefused,
                "\(origin.host) has the address \(address), \(scope.name), which its name does not"
                    + " say.",
                hint: scope.reach == .forbidden
                    ? nil : "A device of your own network has to be named by its address.")
        }
        if scope.reach == .ownMachine { try checkPort(of: origin) }
    }

    private func checkPort(of origin: WebOrigin) throws(NetError) {
        guard !ownPorts().contains(Int(origin.port)) else {
            throw NetError(
                .ownHost, "\(origin) is this host itself.",
                hint: "Its calls are at the app's own address, such as /api/v1/me.")
        }
    }
}
