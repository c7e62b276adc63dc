import Text

/// The entity types of OGC SensorThings 1.1, their properties and relations.
///
/// Source: OGC 18-088, section 8.2, the sensing entities; HistoricalLocations are left out.
public enum EntityType: String, Hashable, Sendable, CaseIterable {
    case thing = "Thing"
    case location = "Location"
    case datastream = "Datastream"
    case sensor = "Sensor"
    case observedProperty = "ObservedProperty"
    case observation = "Observation"
    case featureOfInterest = "FeatureOfInterest"

    /// The name of the set of all entities of the type.
    public var setName: String {
        switch self {
        case .observedProperty: "ObservedProperties"
        case .featureOfInterest: "FeaturesOfInterest"
        default: rawValue + "s"
        }
    }

    /// The names of its properties, without those that begin with `@`.
    public var properties: [String] {
        switch self {
        case .thing: ["name", "description", "properties"]
        case .location: ["name", "description", "encodingType", "location"]
        case .datastream:
            ["name", "description", "observationType", "unitOfMeasurement", "properties"]
        case .sensor: ["name", "description", "encodingType", "metadata"]
        case .observedProperty: ["name", "definition", "description"]
        case .observation: ["phenomenonTime", "resultTime", "result"]
        case .featureOfInterest: ["name", "description", "encodingType", "feature"]
        }
    }

    /// The relations to other entities.
    public var relations: [Relation] {
        switch self {
        case .thing: [Relation(.location, isList: true), Relation(.datastream, isList: true)]
        case .location: [Relation(.thing, isList: true)]
        case .datastream:
            [
                Relation(.thing, isList: false), Relation(.sensor, isList: false),
                Relation(.observedProperty, isList: false), Relation(.observation, isList: true),
            ]
        case .sensor, .observedProperty: [Relation(.datastream, isList: true)]
        case .observation:
            [Relation(.datastream, isList: false), Relation(.featureOfInterest, isList: false)]
        case .featureOfInterest: [Relation(.observation, isList: true)]
        }
    }

    /// The relation with a name.
    public func relation(_ name: some StringProtocol) -> Relation? {
        relations.first { $0.name == name }
    }

    /// The type whose set has a name.
    public init?(set name: some StringProtocol) {
        guard let type = Self.allCases.first(where: { $0.setName == name }) else { return nil }
        self = type
    }

    /// A relation of an entity to one or several others.
    public struct Relation: Hashable, Sendable {
        /// The type of the others.
        public let type: EntityType
        /// Whether there can be several.
        public let isList: Bool

        init(_ type: EntityType, isList: Bool) {
            (self.type, self.isList) = (type, isList)
        }

        /// Its name in paths, and in `$expand`.
        public var name: String { isList ? type.setName : type.rawValue }
    }
}

/// An error in a request, as a sentence that names what is wrong.
public struct SensorThingsFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the request, such as `$filter` or `path`.
    public let part: String
    /// What is wrong with it, as a clause.
    public let message: String

    /// Creates a fault.
    public init(_ part: String, _ message: String) {
        (self.part, self.message) = (part, message)
    }

    public var description: String { "\(part): \(message)" }
}

/// The path of a request, after the version: `Things('cpu')/Datastreams`.
///
/// ```swift
/// let path = try ResourcePath(["Datastreams('cpu:busy')", "Observations"])
/// path.steps.count  // 2
/// ```
public struct ResourcePath: Hashable, Sendable {
    /// One step from an entity, or from the root, to others.
    public struct Step: Hashable, Sendable {
        /// The relation that the step follows; at the root it is the set of all entities of a type.
        public let relation: EntityType.Relation
        /// The entity that is chosen from the set; `nil` for all, and for a relation to one.
        public let id: String?

        /// Whether it leads to several entities.
        public var isList: Bool { relation.isList && id == nil }
    }

    /// What is returned of the entities.
    public enum Ending: Hashable, Sendable {
        /// The entities.
        case entities
        /// One property of one entity, such as `name`.
        case property(String)
        /// The text of a property (`$value`).
        case rawValue(String)
        /// The links of the entities (`$ref`).
        case references
    }

    /// From the root; not empty.
    public let steps: [Step]
    /// What is returned.
    public let ending: Ending

    /// Parses the segments of a path, percent-decoded.
    public init(_ segments: [String]) throws(SensorThingsFault) {
        var steps: [Step] = []
        var ending = Ending.entities
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            let (name, id) = try Self.parts(of: segment)
            if let last = steps.last {
                guard !last.isList else {
                    guard segment == "$ref", isLast else {
                        throw SensorThingsFault(
                            "path",
                            "\(last.relation.name) needs an id, as in"
                                + " \(last.relation.name)('…')/\(segment.prefix(40))")
                    }
                    ending = .references
                    continue
                }
                if case .property(let property) = ending {
                    guard segment == "$value", isLast else { throw Self.unknown(segment) }
                    ending = .rawValue(property)
                    continue
                }
                if let relation = last.relation.type.relation(name) {
                    guard relation.isList || id == nil else { throw Self.unknown(segment) }
                    steps.append(Step(relation: relation, id: id))
                } else if segment == "$ref", isLast {
                    ending = .references
                } else if last.relation.type.properties.contains(segment) {
                    ending = .property(segment)
                } else {
                    throw Self.unknown(segment)
                }
            } else {
                guard let type = EntityType(set: name) else { throw Self.unknown(segment) }
                steps.append(Step(relation: EntityType.Relation(type, isList: true), id: id))
            }
        }
        guard !steps.isEmpty else { throw SensorThingsFault("path", "it names no entities") }
        (self.steps, self.ending) = (steps, ending)
    }

    /// The type of the entities at the end.
    public var type: EntityType { steps[steps.count - 1].relation.type }

    private static func unknown(_ segment: String) -> SensorThingsFault {
        SensorThingsFault("path", "\(segment.prefix(80).debugDescription) is not known here")
    }

    /// The name and the id of `Things('cpu')`.
    private static func parts(
        of segment: String
    ) throws(SensorThingsFault) -> (name: Substring, id: String?) {
        guard let open = segment.firstIndex(of: "(") else { return (segment[...], nil) }
        let inner = segment[segment.index(after: open)...]
        guard inner.hasSuffix(")") else { throw unknown(segment) }
        let id = inner.dropLast()
        guard id.count >= 2, id.hasPrefix("'"), id.hasSuffix("'") else {
            throw SensorThingsFault(
                "path", "an id is a text in quotes, as in \(segment[..<open].prefix(40))('cpu')")
        }
        let text = String(id.dropFirst().dropLast())
        return (segment[..<open], text.replacing("''", with: "'"))
    }
}
