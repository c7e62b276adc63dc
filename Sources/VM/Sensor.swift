public import Samples

/// What a sensor is: its name, its fields and where its samples come from.
public struct Sensor: Hashable, Sendable {
    public let id: SensorID
    /// A few words for a person, such as `Processor load`.
    public let title: String
    public let fields: [Field]
    /// Where the samples come from, for a person: a file, a device, a server.
    public let source: String
    /// How often each collection level reads it.
    public let cadence: Cadence
    /// How its samples are made of those of others; `nil` for a sensor that has samples of its own.
    public let derivation: Derivation?

    public init(
        id: SensorID, title: String, fields: [Field], source: String, cadence: Cadence = .standard,
        derivation: Derivation? = nil
    ) {
        self.id = id
        self.title = title
        self.fields = fields
        self.source = source
        self.cadence = cadence
        self.derivation = derivation
    }
}
