/// A way to one source of samples: a device, a server, a program.
///
/// To add one, write a connector in `Kinds/` and name it in `ConnectorCatalogue.swift`.
public protocol Connector: Sendable {
    /// Where it leads, for a person: a device, a server, a command.
    var place: String { get }

    /// Connects once, hands everything that comes to `inlet`, and returns when the source ends.
    ///
    /// Says `inlet.connected()` as soon as it stands. Ends soon after its task is cancelled, with
    /// everything that it had opened closed. It is called again later, however it ended.
    ///
    /// - Throws: ``ConnectorError`` with what went wrong.
    func connect(_ inlet: Inlet) async throws
}
