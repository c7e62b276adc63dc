import Auth
import Dialects
import Foundation
import LAE
import Samples
import Text
import VM

/// An entity of SensorThings: one that follows from a sensor, or an Observation.
struct SensorThingsEntity {
    let type: EntityType
    let id: String
    let sensor: Sensor
    /// The field of a Datastream, an ObservedProperty or an Observation.
    var field: Int?
    /// Its properties in order.
    let properties: [(key: String, value: JSONValue)]

    /// The value of a property; `nil` if it has none of this name.
    func value(_ name: String) -> JSONValue? {
        name == "id" || name == "@iot.id"
            ? JSONValue(id) : properties.first { $0.key == name }?.value
    }
}

/// The entities that follow from the sensors that a client may know: Things, Datastreams, Sensors,
/// ObservedProperties, FeaturesOfInterest and Locations.
///
/// A sensor is a Thing, and each field of it a Datastream. Observations are not part of it.
struct SensorThingsCatalogue {
    private static let observationTypes = "http://www.opengis.net/def/observationType/OGC-OM/2.0/"

    /// The sensors whose samples or statistics the client may read, by identifier.
    let sensors: [Sensor]
    /// The newest positions by sensor, of those that have one.
    private let positions: [SensorID: JSONValue]

    init(_ sensors: [Sensor], positions: [SensorID: JSONValue] = [:]) {
        self.sensors = sensors.sorted { $0.id < $1.id }
        self.positions = positions
    }

    /// Whether samples of a sensor are positions.
    static func isPosition(_ sensor: Sensor) -> Bool {
        ["latitude", "longitude"].allSatisfy { name in
            sensor.fields.contains { $0.name == name && $0.kind.isNumeric }
        }
    }

    /// A point of GeoJSON; `nil` without a position.
    static func point(_ sample: StoredSample, _ fields: [Field]) -> JSONValue? {
        func value(_ name: String) -> Double? {
            fields.firstIndex { $0.name == name }.flatMap { sample.values[$0].double }
        }
        guard let longitude = value("longitude"), let latitude = value("latitude") else {
            return nil
        }
        return JSONValue([
            "type": JSONValue("Point"),
            "coordinates": JSONValue([JSONValue(longitude), JSONValue(latitude)]),
        ])
    }

    /// All entities of a type, by id.
    func all(_ type: EntityType) -> [SensorThingsEntity] {
        switch type {
        case .thing: sensors.map(thing)
        case .location: sensors.compactMap(location)
        case .datastream: sensors.flatMap(datastreams)
        case .sensor: sensors.map(procedure)
        case .observedProperty: observedProperties
        case .featureOfInterest: sensors.map(feature)
        case .observation: []
        }
    }

    /// The entities to which a relation leads, except Observations.
    func related(
        _ entity: SensorThingsEntity, _ relation: EntityType.Relation
    ) -> [SensorThingsEntity] {
        let sensor = entity.sensor
        switch (entity.type, relation.type) {
        case (.location, .thing), (.datastream, .thing): return [thing(sensor)]
        case (_, .location): return location(sensor).map { [$0] } ?? []
        case (.observedProperty, .datastream):
            return all(.datastream).filter { observedPropertyID(of: $0) == entity.id }
        case (.observation, .datastream):
            return datastreams(sensor).filter { $0.field == entity.field }
        case (_, .datastream): return datastreams(sensor)
        case (_, .sensor): return [procedure(sensor)]
        case (_, .observedProperty):
            return observedProperties.filter { $0.id == observedPropertyID(of: entity) }
        case (_, .featureOfInterest): return [feature(sensor)]
        default: return []
        }
    }

    /// The value at the end of a path through properties and relations to one entity.
    func value(_ path: FilterExpression.Path, of entity: SensorThingsEntity) -> JSONValue? {
        guard let first = path.first else { return nil }
        if path.count > 1, let relation = entity.type.relation(first), !relation.isList {
            return related(entity, relation).first.flatMap {
                value(Array(path.dropFirst()), of: $0)
            }
        }
        return path.dropFirst().reduce(entity.value(first)) { $0?[$1] }
    }

    /// The sensor that the id of an entity names, whether it exists or not.
    static func sensor(inID id: String) -> SensorID? {
        SensorID(String(id.prefix { $0 != ":" }))
    }

    // MARK: - Entities

    private func thing(_ sensor: Sensor) -> SensorThingsEntity {
        SensorThingsEntity(
            type: .thing, id: sensor.id.description, sensor: sensor,
            properties: [
                ("name", JSONValue(sensor.title)),
                ("description", JSONValue("The sensor \(sensor.id)")),
                (
                    "properties",
                    JSONValue([
                        "sensor": JSONValue(sensor.id.description),
                        "kind": JSONValue(sensor.id.kind.description),
                    ])
                ),
            ])
    }

    private func location(_ sensor: Sensor) -> SensorThingsEntity? {
        positions[sensor.id].map { point in
            SensorThingsEntity(
                type: .location, id: sensor.id.description, sensor: sensor,
                properties: [
                    ("name", JSONValue(sensor.title)),
                    ("description", JSONValue("The newest position of \(sensor.id)")),
                    ("encodingType", JSONValue("application/geo+json")), ("location", point),
                ])
        }
    }

    private func datastreams(_ sensor: Sensor) -> [SensorThingsEntity] {
        sensor.fields.enumerated().map { index, field in
            let type =
                switch field.kind {
                case .number: "OM_Measurement"
                case .integer: "OM_CountObservation"
                case .state: "OM_CategoryObservation"
                case .text: "OM_Observation"
                }
            let unit = field.unit.map { JSONValue($0) } ?? JSONValue(.null)
            return SensorThingsEntity(
                type: .datastream, id: "\(sensor.id):\(field.name)", sensor: sensor, field: index,
                properties: [
                    ("name", JSONValue("\(sensor.title): \(field.name)")),
                    ("description", JSONValue("\(field.name) of \(sensor.id)")),
                    ("observationType", JSONValue(Self.observationTypes + type)),
                    (
                        "unitOfMeasurement",
                        JSONValue([
                            "name": unit, "symbol": unit,
                            "definition": field.unit.map { JSONValue("ucum:\($0)") }
                                ?? JSONValue(.null),
                        ])
                    ),
                    (
                        "properties",
                        JSONValue([
                            "field": JSONValue(field.name), "kind": JSONValue(field.kind.rawValue),
                        ])
                    ),
                ])
        }
    }

    private func procedure(_ sensor: Sensor) -> SensorThingsEntity {
        SensorThingsEntity(
            type: .sensor, id: sensor.id.description, sensor: sensor,
            properties: [
                ("name", JSONValue(sensor.title)),
                ("description", JSONValue("The source of the samples of \(sensor.id)")),
                ("encodingType", JSONValue("text/plain")), ("metadata", JSONValue(sensor.source)),
            ])
    }

    /// One for each field of each kind.
    private var observedProperties: [SensorThingsEntity] {
        var seen: Set<String> = []
        return sensors.flatMap { sensor in
            sensor.fields.enumerated().compactMap { index, field in
                let (kind, name) = (sensor.id.kind, field.name)
                guard seen.insert("\(kind):\(name)").inserted else { return nil }
                return SensorThingsEntity(
                    type: .observedProperty, id: "\(kind):\(name)", sensor: sensor, field: index,
                    properties: [
                        ("name", JSONValue(name)),
                        ("definition", JSONValue("urn:nervous:observed-property:\(kind):\(name)")),
                        ("description", JSONValue("\(name) of sensors of the kind \(kind)")),
                    ])
            }
        }
    }

    private func observedPropertyID(of datastream: SensorThingsEntity) -> String {
        let field = datastream.field.map { datastream.sensor.fields[$0].name } ?? ""
        return "\(datastream.sensor.id.kind):\(field)"
    }

    private func feature(_ sensor: Sensor) -> SensorThingsEntity {
        let geometry: JSONValue = JSONValue([
            "type": JSONValue("Feature"), "properties": JSONValue([:] as KeyValuePairs),
            "geometry": JSONValue(.null),
        ])
        return SensorThingsEntity(
            type: .featureOfInterest, id: sensor.id.description, sensor: sensor,
            properties: [
                ("name", JSONValue(sensor.title)),
                ("description", JSONValue("What \(sensor.id) measures")),
                ("encodingType", JSONValue("application/geo+json")), ("feature", geometry),
            ])
    }
}
