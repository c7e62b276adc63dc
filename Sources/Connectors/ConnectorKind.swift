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
