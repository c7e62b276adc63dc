import Auth
import Foundation
import Samples
import VM

/// A sensor as the API tells of it.
struct SensorDescription: Encodable {
    struct FieldDescription: Encodable {
        let name: String
        let unit: String?
        let kind: String
    }

    struct Unavailability: Encodable {
        let reason: String
        let remedy: String?
    }

    let id: String
    let title: String
    let fields: [FieldDescription]
    let source: String
    let available: Bool
    let unavailable: Unavailability?
    let level: String
    /// W3C permission state of this client for raw samples, or `statistics`.
    let access: String
    /// When the newest sample was taken, in milliseconds since 1970.
    let newest: Double?
    let failure: String?
    let failures: Int

    init(_ status: SensorStatus, _ permission: SensorPermission) {
        id = status.sensor.id.description
        title = status.sensor.title
        fields = status.sensor.fields.map(FieldDescription.init)
        source = status.sensor.source
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
        newest = status.newest?.time.milliseconds
        failure = status.failure
        failures = status.failures
    }
}

extension SensorDescription.FieldDescription {
    init(_ field: Field) {
        self.init(name: field.name, unit: field.unit, kind: field.kind.rawValue)
    }
}
