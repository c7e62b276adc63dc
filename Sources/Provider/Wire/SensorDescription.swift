import Auth
import Foundation
import Samples
public import VM

/// A sensor as the API tells of it.
public struct SensorDescription: Codable, Sendable {
    public struct FieldDescription: Codable, Sendable {
        public let name: String
        public let unit: String?
        public let kind: String

        public init(name: String, unit: String?, kind: String) {
            self.name = name
            self.unit = unit
            self.kind = kind
        }
    }

    public struct Unavailability: Codable, Sendable {
        public let reason: String
        public let remedy: String?
    }

    public let id: String
    public let title: String
    public let fields: [FieldDescription]
    public let source: String
    /// How a virtual sensor is computed; `nil` for any other.
    public let definition: Derivation?
    public let available: Bool
    public let unavailable: Unavailability?
    public let level: String
    /// W3C permission state of this client for raw samples, or `statistics`.
    public let access: String
    /// When the newest sample was taken, in milliseconds since 1970; for those who may read all.
    public let newest: Double?
    public let failure: String?
    public let failures: Int
    /// How a source that sends of its own accord is doing; for those who may read all.
    public let connection: ConnectionReport?
    /// Something to know about how it is read, such as why its device takes no samples by itself.
    public let note: String?

    init(_ status: SensorStatus, _ permission: SensorPermission, seesNewest: Bool) {
        id = status.sensor.id.description
        title = status.sensor.title
        fields = status.sensor.fields.map(FieldDescription.init)
        source = status.sensor.source
        definition = status.sensor.derivation
        switch status.state {
        case .available:
            available = true
            unavailable = nil
        case .unavailable(let reason, let remedy):
            available = false
            unavailable = Unavailability(reason: reason, remedy: remedy)
        }
        level = status.level.description
        access = permission.rawValue
        newest = seesNewest ? status.newest?.time.milliseconds : nil
        failure = status.failure
        failures = status.failures
        connection = seesNewest ? status.source.map(ConnectionReport.init) : nil
        note = status.note
    }
}

extension SensorDescription.FieldDescription {
    init(_ field: Field) {
        self.init(name: field.name, unit: field.unit, kind: field.kind.rawValue)
    }
}
