import Text

/// The options of a request, or of an entity in `$expand`.
///
/// ```swift
/// let options = try QueryOptions(
///     [("$expand", "Observations($top=1;$orderby=phenomenonTime desc)")], of: .datastream)
/// options.expansions[0].options.top  // 1
/// ```
public struct QueryOptions: Hashable, Sendable {
    /// The maximum number of entities that a request may ask for.
    public static let largestPage = 10_000
    /// The number of entities without `$top`.
    public static let standardPage = 100
    private static let deepestExpansion = 4

    /// One key of `$orderby`.
    public struct Order: Hashable, Sendable {
        /// The path of the property.
        public let path: FilterExpression.Path
        /// Whether the greatest comes first.
        public let isDescending: Bool
    }

    /// Related entities that are returned with an entity.
    public struct Expansion: Hashable, Sendable {
        /// The relation.
        public let relation: EntityType.Relation
        /// The options for the related entities.
        public let options: QueryOptions
        /// The options as parameters of a request, without those of pages.
        public let parameters: [String: String]
    }

    /// The condition that entities must meet.
    public private(set) var filter: FilterExpression?
    /// Related entities to return, too.
    public private(set) var expansions: [Expansion] = []
    /// The properties and relations to return; `nil` for all.
    public private(set) var selection: [String]?
    /// The order; empty for the standard one.
    public private(set) var order: [Order] = []
    /// How many entities to return, at most ``largestPage``; `nil` for the standard number.
    public private(set) var top: Int?
    /// How many entities to leave out first.
    public private(set) var skip = 0
    /// Where to continue, from a link of the previous page.
    public private(set) var skipToken: String?
    /// Whether the number of all entities is returned.
    public private(set) var countsAll = false
    /// Whether Observations are returned as arrays of values.
    public private(set) var usesDataArray = false

    /// The largest number of entities to return.
    public var limit: Int { top ?? Self.standardPage }

    /// Parses the parameters of a request.
    ///
    /// - Parameters:
    ///   - parameters: names and values, decoded.
    ///   - type: the type of the entities that are requested.
    public init(
        _ parameters: [(name: String, value: String)], of type: EntityType
    ) throws(SensorThingsFault) {
        try self.init(parameters, of: type, depth: 0)
    }

    private init(
        _ parameters: [(name: String, value: String)], of type: EntityType, depth: Int
    ) throws(SensorThingsFault) {
        var seen: Set<String> = []
        for (name, value) in parameters {
            guard seen.insert(name).inserted else { throw SensorThingsFault(name, "repeated") }
            switch name {
            case "$filter":
                let filter = try FilterExpression(value)
                for path in filter.paths { try Self.check(path, of: type, in: name) }
                self.filter = filter
            case "$expand": expansions = try Self.expansions(value, of: type, depth: depth)
            case "$select": selection = try Self.selection(value, of: type)
            case "$orderby": order = try Self.order(value, of: type)
            case "$top": top = min(try Self.number(value, name), Self.largestPage)
            case "$skip": skip = try Self.number(value, name)
            case "$skiptoken" where depth == 0: skipToken = value
            case "$count":
                guard ["true", "false"].contains(value) else {
                    throw SensorThingsFault(name, "must be true or false")
                }
                countsAll = value == "true"
            case "$resultFormat" where depth == 0, "resultFormat" where depth == 0:
                guard value == "dataArray", type == .observation else {
                    throw SensorThingsFault(name, "must be dataArray, and only for Observations")
                }
                usesDataArray = true
            default:
                throw SensorThingsFault(
                    String(name.prefix(40)),
                    "not supported; the options are $filter, $expand, $select, $orderby, $top,"
                        + " $skip, $count and $resultFormat")
            }
        }
    }

    // MARK: - Private

    private static func number(
        _ text: String, _ name: String
    ) throws(SensorThingsFault) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw SensorThingsFault(name, "must be a whole number of at least 0")
        }
        return number
    }

    /// Checks that a property exists; a path may pass through relations to one entity.
    private static func check(
        _ path: FilterExpression.Path, of type: EntityType, in part: String
    ) throws(SensorThingsFault) {
        guard let first = path.first else { throw SensorThingsFault(part, "a property is missing") }
        if let relation = type.relation(first), path.count > 1 {
            guard !relation.isList else {
                throw SensorThingsFault(
                    part, "\(first) are several, and cannot be used; request them by their path")
            }
            return try check(Array(path.dropFirst()), of: relation.type, in: part)
        }
        guard type.properties.contains(first) || first == "id" || first == "@iot.id" else {
            throw SensorThingsFault(
                part,
                "\(type.rawValue) has no property \(first.prefix(40).debugDescription); it has id, "
                    + type.properties.joined(separator: ", "))
        }
    }

    private static func selection(
        _ text: String, of type: EntityType
    ) throws(SensorThingsFault) -> [String] {
        let names = text.split(separator: ",").map { $0.trimmed }
        for name in names where type.relation(name) == nil {
            try check([name], of: type, in: "$select")
        }
        return names.map { $0 == "id" ? "@iot.id" : $0 }
    }

    private static func order(
        _ text: String, of type: EntityType
    ) throws(SensorThingsFault) -> [Order] {
        var keys: [Order] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            guard let name = words.first, words.count <= 2,
                ["asc", "desc"].contains(words.count == 2 ? words[1] : "asc")
            else {
                throw SensorThingsFault("$orderby", "must be properties, each with asc or desc")
            }
            let path = name.split(separator: "/").map(String.init)
            try check(path, of: type, in: "$orderby")
            keys.append(Order(path: path, isDescending: words.last == "desc"))
        }
        return keys
    }

    private static func expansions(
        _ text: String, of type: EntityType, depth: Int
    ) throws(SensorThingsFault) -> [Expansion] {
        guard depth < deepestExpansion else {
            throw SensorThingsFault("$expand", "it is nested more than \(deepestExpansion) deep")
        }
        var found: [Expansion] = []
        for part in try split(text, at: ",") {
            let open = part.firstIndex(of: "(") ?? part.endIndex
            // `Datastreams/Observations` is short for `Datastreams($expand=Observations)`.
            let names = part[..<open].trimmed.split(separator: "/", maxSplits: 1)
            guard let name = names.first, let relation = type.relation(name) else {
                let known = type.relations.map(\.name).joined(separator: ", ")
                throw SensorThingsFault(
                    "$expand",
                    "\(type.rawValue) has no relation"
                        + " \(part[..<open].prefix(40).debugDescription); it has \(known)")
            }
            var parameters: [(name: String, value: String)] = []
            if names.count == 2 {
                parameters = [("$expand", String(names[1]) + part[open...])]
            } else if open < part.endIndex {
                let inner = part[part.index(after: open)...]
                guard inner.hasSuffix(")") else {
                    throw SensorThingsFault("$expand", "a parenthesis is not closed")
                }
                for option in try split(String(inner.dropLast()), at: ";") {
                    let sides = option.split(separator: "=", maxSplits: 1)
                    guard sides.count == 2 else {
                        throw SensorThingsFault("$expand", "an option has no value")
                    }
                    parameters.append((sides[0].trimmed, sides[1].trimmed))
                }
            }
            let options = try QueryOptions(parameters, of: relation.type, depth: depth + 1)
            guard !found.contains(where: { $0.relation == relation }) else {
                throw SensorThingsFault("$expand", "\(relation.name) occurs twice")
            }
            let kept = parameters.filter { $0.name != "$skip" }.map { ($0.name, $0.value) }
            found.append(
                Expansion(
                    relation: relation, options: options,
                    parameters: Dictionary(kept) { first, _ in first }))
        }
        return found
    }

    /// The parts of a text, without separators in parentheses or quotes.
    private static func split(
        _ text: String, at separator: Character
    ) throws(SensorThingsFault) -> [String] {
        var (parts, depth, isQuoted) = ([""], 0, false)
        for character in text {
            if character == "'" { isQuoted.toggle() }
            if !isQuoted {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if character == separator, depth == 0 {
                    parts.append("")
                    continue
                }
            }
            parts[parts.count - 1].append(character)
        }
        guard depth == 0, !isQuoted else {
            throw SensorThingsFault("$expand", "a parenthesis or a quote is not closed")
        }
        return parts.map { $0[...].trimmed }.filter { !$0.isEmpty }
    }
}

extension StringProtocol {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        var text = String(start)
        while text.last == " " { text.removeLast() }
        return text
    }
}
