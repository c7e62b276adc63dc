/// A way to one source of samples: a device, a server, a program.
///
/// To add one, write a connector in `Kinds/` and name it in `ConnectorCatalogue.swift`.
public protocol Connector: Sendable {
    /// Where it leads, for a person: a device, a server, a command.
    var place: String { get }

    /// Connects once, hands everything that comes to `sink`, and returns when the source ends.
    ///
    /// Says `sink.connected()` as soon as it stands. Ends soon after its task is cancelled, with
    /// everything that it had opened closed. It is called again later, however it ended.
    ///
    /// - Throws: ``ConnectorError`` with what went wrong.
    func connect(_ sink: SampleSink) async throws
}

/// A kind of source that a pack can name.
public protocol ConnectorKind: Connector {
    /// The `kind` of the source in a pack, such as `serial`.
    static var kind: String { get }
    /// What using it means for the person who installs a pack, one sentence.
    static var consequence: String { get }
    /// How payloads of this kind are written where a pack does not say it; `nil` where it has to.
    static var standardFormat: String? { get }
    /// The names that it gives values itself, which are then all that fields can be made of; `nil` where
    /// its messages are in a format of the pack.
    var names: [String]? { get }

    /// Reads what a pack says of its source.
    ///
    /// - Parameter source: the object under `source`; keys that are not asked for are refused afterwards.
    /// - Throws: ``PackError`` for a value that cannot be.
    init(_ source: inout PackObject) throws(PackError)
}

extension ConnectorKind {
    public static var consequence: String {
        "Nervous connects to it for as long as the sensor is on."
    }

    public static var standardFormat: String? { nil }

    public var names: [String]? { nil }
}

/// Every kind of source that comes with the program.
public enum ConnectorCatalogue {
    /// The kinds in the order in which they are told.
    public static let kinds: [any ConnectorKind.Type] = [
        SerialConnector.self, GPSDConnector.self, MQTTConnector.self, CommandConnector.self,
        PollConnector.self, BluetoothConnector.self, ReplayConnector.self, SimulatedConnector.self,
    ]
}

/// Why a source cannot be reached or read any longer.
public struct ConnectorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the source and, where something helps, says what.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
