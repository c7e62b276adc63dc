public import Addresses

/// Finds the addresses of a name.
public protocol NameResolver: Sendable {
    /// The addresses of a name, the best first.
    ///
    /// - Throws: `unknownHost` when it has none.
    func addresses(of name: String, within limit: Duration) async throws(NetError) -> [IPAddress]
}
