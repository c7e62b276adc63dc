import Connectors
import Samples
import VM

/// A sensor pack as the API tells of it.
public struct PackDescription: Codable, Sendable {
    public let id: String
    public let title: String
    public let version: String?
    public let description: String?
    /// The kind of its source, such as `serial`.
    public let kind: String
    /// Where its source is: a device, a server, a command.
    public let place: String
    /// What using the source means for the person, one sentence.
    public let consequence: String
    public let fields: [SensorDescription.FieldDescription]
    /// Whether a pack of this name is installed.
    public let installed: Bool

    init(_ pack: SensorPack, isInstalled: Bool) {
        id = pack.id.description
        title = pack.title
        version = pack.version
        description = pack.explanation
        kind = pack.kind
        place = pack.connector.place
        consequence = pack.consequence
        fields = pack.sensor.fields.map(SensorDescription.FieldDescription.init)
        installed = isInstalled
    }
}

/// What a pack would be, and its text with what the person changed.
public struct PackCheck: Codable, Sendable {
    public let pack: PackDescription
    public let text: String
}
