/// Where something is that has an address or a name.
public enum Reach: Hashable, Sendable, CaseIterable {
    /// On the Internet, where everybody can reach it.
    case internet
    /// In the network that this machine is in.
    case ownNetwork
    /// On this machine.
    case ownMachine
    /// Nowhere that an app may reach, whatever it was granted.
    case nowhere
}
