/// Connects to one source of samples: a device, a server or a program.
///
/// To add a kind of source, implement ``ConnectorKind`` and list it in ``ConnectorCatalogue``.
public protocol Connector: Sendable {
    /// The source for display: a device, a server, a command.
    var sourceName: String { get }

    /// Connects once, delivers all messages to `sink`, and returns when the source ends.
    ///
    /// Calls `sink.connected()` once the connection is established. When its task is cancelled, it
    /// closes everything it opened and returns soon. It is called again after it ended.
    ///
    /// - Throws: ``ConnectorError``.
    func connect(_ sink: SampleSink) async throws
}

/// A kind of source that sensor packs can use.
public protocol ConnectorKind: Connector {
    /// The `kind` of the source in a pack, such as `serial`.
    static var kind: String { get }
    /// What installing a pack with this source implies, as one sentence.
    static var consequence: String { get }
    /// The payload format of packs that do not specify one; `nil` if they must.
    static var standardFormat: String? { get }
    /// The names of the values it delivers, if it names them itself; `nil` if its messages are in the
    /// payload format of the pack.
    var names: [String]? { get }

    /// Reads the source of a pack.
    ///
    /// - Parameter source: the object `source`; keys that are not read are rejected afterwards.
    /// - Throws: ``PackError`` for an invalid value.
    init(_ source: inout PackObject) throws(PackError)
}

extension ConnectorKind {
    public static var consequence: String {
        "Nervous connects to it for as long as the sensor is on."
    }

    public static var standardFormat: String? { nil }

    public var names: [String]? { nil }
}

/// Why a source cannot be reached or read.
public struct ConnectorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the source and, if possible, a remedy.
    public let message: String

    /// Creates an error with one sentence.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
