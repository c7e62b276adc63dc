import API
import Dialects
import HTTPTypes
import Hummingbird
import NIOCore
import Samples
import Text
import VM

/// Resolves a path of SensorThings, and writes the entities with their links and expansions.
struct SensorThingsWriter {
    let base: String
    let catalogue: SensorThingsCatalogue
    let reader: ObservationReader
    /// The sensors whose samples the client may read.
    let readable: Set<SensorID>

    /// What a path leads to.
    private enum Target {
        case entity(SensorThingsEntity)
        case entities([SensorThingsEntity])
        case observations([ObservationReader.Source])
    }

    /// A list of entities, and where it continues.
    private struct Listing {
        var items: [SensorThingsEntity]
        var count: Int?
        /// The parameter that leads to the next entities; `nil` if there are none.
        var next: (name: String, value: String)?
    }

    func response(to query: SensorThingsQuery) async throws -> Response {
        let options = query.options
        switch (try await target(of: query.path), query.path.ending) {
        case (.entity(let entity), .entities):
            return .json(try await json(entity, options))
        case (.entity(let entity), .property(let name)):
            return .json(JSONValue([(name, entity.value(name) ?? JSONValue(.null))]))
        case (.entity(let entity), .rawValue(let name)):
            let value = entity.value(name) ?? JSONValue(.null)
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: value.string ?? value.line)))
        case (.entity(let entity), .references):
            return .json(JSONValue([("@iot.selfLink", JSONValue(link(entity)))]))
        case (let target, let ending):
            let listing = try await list(target, options)
            return .json(try await json(listing, query, ending))
        }
    }

    // MARK: - Paths

    private func target(of path: ResourcePath) async throws -> Target {
        var target = try await self.root(path.steps[0], of: path)
        for step in path.steps.dropFirst() {
            guard case .entity(let entity) = target else { throw Self.notFound }
            target = try await related(entity, step)
        }
        return target
    }

    private func root(_ step: ResourcePath.Step, of path: ResourcePath) async throws -> Target {
        let type = step.relation.type
        if type == .observation {
            guard let id = step.id else {
                return .observations(
                    catalogue.sensors.filter { readable.contains($0.id) }.map(Self.whole))
            }
            return .entity(try await observation(id))
        }
        let all = catalogue.all(type)
        guard let id = step.id else { return .entities(all) }
        if let entity = all.first(where: { $0.id == id }) { return .entity(entity) }
        // Samples of a sensor that the client may not read are refused as by other routes, and recorded.
        if path.type == .observation, let sensor = SensorThingsCatalogue.sensor(inID: id) {
            _ = try await reader.grant(sensor, false)
        }
        throw Self.notFound
    }

    private func related(
        _ entity: SensorThingsEntity, _ step: ResourcePath.Step
    ) async throws -> Target {
        if step.relation.type == .observation {
            guard let id = step.id else { return .observations([source(of: entity)]) }
            let found = try await observation(id)
            let isOwn =
                found.sensor.id == entity.sensor.id
                && (entity.type != .datastream || found.field == entity.field)
            guard isOwn else { throw Self.notFound }
            return .entity(found)
        }
        let related = catalogue.related(entity, step.relation)
        if step.isList { return .entities(related) }
        guard let chosen = related.first(where: { step.id == nil || $0.id == step.id }) else {
            throw Self.notFound
        }
        return .entity(chosen)
    }

    private func observation(_ id: String) async throws -> SensorThingsEntity {
        if let sensor = SensorThingsCatalogue.sensor(inID: id), !readable.contains(sensor) {
            _ = try await reader.grant(sensor, false)
        }
        guard let found = try await reader.observation(id) else { throw Self.notFound }
        return found
    }

    private func source(of entity: SensorThingsEntity) -> ObservationReader.Source {
        guard entity.type == .datastream, let field = entity.field else {
            return Self.whole(entity.sensor)
        }
        return ObservationReader.Source(sensor: entity.sensor, fields: [field])
    }

    private static func whole(_ sensor: Sensor) -> ObservationReader.Source {
        ObservationReader.Source(sensor: sensor, fields: Array(sensor.fields.indices))
    }

    private static var notFound: Problem { .notFound("There is no such entity.") }

    // MARK: - Lists

    private func list(_ target: Target, _ options: QueryOptions) async throws -> Listing {
        switch target {
        case .entity(let entity): return list([entity], options)
        case .entities(let entities): return list(entities, options)
        case .observations(let sources):
            let page = try await reader.page(of: sources, options)
            let isPosition = sources.count == 1 && sources[0].fields.count == 1
            var next: (String, String)?
            if let position = page.next {
                // Counting begins at the first one.
                next =
                    isPosition && !options.countsAll
                    ? ("$skiptoken", position.cursor)
                    : ("$skip", "\(options.skip + page.items.count)")
            }
            return Listing(items: page.items, count: page.count, next: next)
        }
    }

    private func list(_ entities: [SensorThingsEntity], _ options: QueryOptions) -> Listing {
        var found = entities
        if let filter = options.filter {
            found = found.filter { entity in filter.holds { catalogue.value($0, of: entity) } }
        }
        if !options.order.isEmpty {
            found = found.enumerated().sorted { left, right in
                for key in options.order {
                    let order = Self.order(
                        catalogue.value(key.path, of: left.element),
                        catalogue.value(key.path, of: right.element))
                    if order != 0 { return key.isDescending ? order > 0 : order < 0 }
                }
                return left.offset < right.offset
            }.map(\.element)
        }
        let page = Array(found.dropFirst(options.skip).prefix(options.limit))
        let end = options.skip + page.count
        return Listing(
            items: page, count: options.countsAll ? found.count : nil,
            next: end < found.count && !page.isEmpty ? ("$skip", "\(end)") : nil)
    }

    /// Null first, then numbers, then texts.
    private static func order(_ left: JSONValue?, _ right: JSONValue?) -> Int {
        func rank(_ value: JSONValue?) -> (Int, Double, String) {
            if let number = value?.number { return (1, number.double, "") }
            if let text = value?.string { return (2, 0, text) }
            return (0, 0, "")
        }
        let (first, second) = (rank(left), rank(right))
        return first < second ? -1 : second < first ? 1 : 0
    }

    // MARK: - JSON

    private func json(
        _ listing: Listing, _ query: SensorThingsQuery, _ ending: ResourcePath.Ending
    ) async throws -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if let count = listing.count { members.append(("@iot.count", JSONValue(count))) }
        if let next = listing.next {
            let root = base.dropLast(APIPath.sensorThings().description.count)
            members.append(
                (
                    "@iot.nextLink",
                    JSONValue("\(root)\(query.text)?\(Self.query(query.parameters + [next]))")
                ))
        }
        if query.options.usesDataArray {
            members.append(("value", try dataArrays(listing.items, query.options)))
            return JSONValue(members)
        }
        var items: [JSONValue] = []
        for entity in listing.items {
            if ending == .references {
                items.append(JSONValue([("@iot.selfLink", JSONValue(link(entity)))]))
            } else {
                items.append(try await json(entity, query.options))
            }
        }
        members.append(("value", JSONValue(items)))
        return JSONValue(members)
    }

    private func json(
        _ entity: SensorThingsEntity, _ options: QueryOptions
    ) async throws -> JSONValue {
        func isSelected(_ name: String) -> Bool { options.selection?.contains(name) ?? true }
        let own = link(entity)
        var members: [(key: String, value: JSONValue)] = []
        if isSelected("@iot.id") {
            members.append(("@iot.id", JSONValue(entity.id)))
            members.append(("@iot.selfLink", JSONValue(own)))
        }
        members += entity.properties.filter { isSelected($0.key) }
        for relation in entity.type.relations {
            let expansion = options.expansions.first { $0.relation == relation }
            if let expansion, let expanded = try await expand(entity, expansion) {
                members += expanded
            } else if expansion != nil || isSelected(relation.name) {
                members.append(
                    ("\(relation.name)@iot.navigationLink", JSONValue("\(own)/\(relation.name)")))
            }
        }
        return JSONValue(members)
    }

    /// The related entities; `nil` for Observations that the client may not read, so that only their link is
    /// written.
    private func expand(
        _ entity: SensorThingsEntity, _ expansion: QueryOptions.Expansion
    ) async throws -> [(key: String, value: JSONValue)]? {
        let (relation, options) = (expansion.relation, expansion.options)
        let target: Target
        if relation.type == .observation {
            guard readable.contains(entity.sensor.id) else { return nil }
            target = .observations([source(of: entity)])
        } else {
            target = .entities(catalogue.related(entity, relation))
        }
        let listing = try await list(target, options)
        guard relation.isList else {
            guard let only = listing.items.first else { return [(relation.name, JSONValue(.null))] }
            return [(relation.name, try await json(only, options))]
        }
        var members: [(key: String, value: JSONValue)] = []
        if let count = listing.count {
            members.append(("\(relation.name)@iot.count", JSONValue(count)))
        }
        var items: [JSONValue] = []
        for item in listing.items { items.append(try await json(item, options)) }
        members.append((relation.name, JSONValue(items)))
        if let next = listing.next {
            let parameters = expansion.parameters.sorted { $0.key < $1.key }
                .map { (name: $0.key, value: $0.value) }
            let query = Self.query(parameters + [next])
            members.append(
                (
                    "\(relation.name)@iot.nextLink",
                    JSONValue("\(link(entity))/\(relation.name)?\(query)")
                ))
        }
        return members
    }

    /// The Observations of each Datastream as rows.
    private func dataArrays(
        _ items: [SensorThingsEntity], _ options: QueryOptions
    ) throws -> JSONValue {
        let standard = ["id"] + EntityType.observation.properties
        let components =
            options.selection.map { names in
                standard.filter { names.contains($0 == "id" ? "@iot.id" : $0) }
            } ?? standard
        var groups: [(datastream: SensorThingsEntity, rows: [JSONValue])] = []
        var places: [String: Int] = [:]
        for item in items {
            guard let relation = EntityType.observation.relation("Datastream"),
                let datastream = catalogue.related(item, relation).first
            else { continue }
            let row = JSONValue(components.map { item.value($0) ?? JSONValue(.null) })
            if let place = places[datastream.id] {
                groups[place].rows.append(row)
            } else {
                places[datastream.id] = groups.count
                groups.append((datastream, [row]))
            }
        }
        return JSONValue(
            groups.map { group in
                JSONValue([
                    "Datastream@iot.navigationLink": JSONValue(link(group.datastream)),
                    "components": JSONValue(components.map { JSONValue($0) }),
                    "dataArray@iot.count": JSONValue(group.rows.count),
                    "dataArray": JSONValue(group.rows),
                ])
            })
    }

    private static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(APIPath.encoded($0.name))=\(APIPath.encoded($0.value))" }
            .joined(separator: "&")
    }

    private func link(_ entity: SensorThingsEntity) -> String {
        // Ids have only characters that need no escape in a path.
        "\(base)/\(entity.type.setName)('\(entity.id)')"
    }
}
