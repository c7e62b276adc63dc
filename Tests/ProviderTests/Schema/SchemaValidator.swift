import Auth
import Text

/// Validates a value against a schema: the part of JSON Schema 2020-12 that `openapi.json` uses.
struct SchemaValidator {
    /// Keywords without effect on validity.
    private static let annotations: Set<String> = [
        "description", "default", "example", "contentMediaType",
    ]

    /// The root of `$ref`.
    let root: JSONValue

    /// The faults of a value; empty if it is valid.
    func faults(of value: JSONValue, by schema: JSONValue, at path: String = "$") -> [String] {
        guard let keywords = schema.object else { return ["\(path): the schema is no object"] }
        return keywords.flatMap { keyword in
            faults(of: value, keyword.key, keyword.value, schema, path)
        }
    }

    /// The target of a reference such as `#/components/schemas/Problem`.
    func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(JSONValue?.some(root)) {
            $0?[String($1)]
        }
    }

    private func faults(
        of value: JSONValue, _ keyword: String, _ argument: JSONValue, _ schema: JSONValue,
        _ path: String
    ) -> [String] {
        switch keyword {
        case "$ref":
            guard let target = argument.string.flatMap(resolve) else {
                return ["\(path): \(argument) leads nowhere"]
            }
            return faults(of: value, by: target, at: path)
        case "oneOf":
            let fitting = (argument.array ?? []).count {
                faults(of: value, by: $0, at: path).isEmpty
            }
            return fitting == 1 ? [] : ["\(path): \(fitting) of the alternatives fit, not one"]
        case "type":
            let types = argument.array?.compactMap(\.string) ?? [argument.string ?? ""]
            return types.contains { Self.isOf($0, value) } ? [] : ["\(path): is not \(types)"]
        case "enum":
            let known = argument.array?.contains { $0.content == value.content } == true
            return known ? [] : ["\(path): is not one of the enumeration"]
        case "pattern":
            guard let text = value.string, let pattern = argument.string else { return [] }
            let found = (try? Regex(pattern)).flatMap { try? $0.firstMatch(in: text) }
            return found == nil ? ["\(path): does not match \(pattern)"] : []
        case "minimum":
            guard let number = value.number, let least = argument.number else { return [] }
            return number.double >= least.double ? [] : ["\(path): is too small"]
        case "minItems", "maxItems":
            guard let count = value.array?.count, let bound = argument.number?.int64 else {
                return []
            }
            let isWithin = keyword == "minItems" ? count >= bound : count <= bound
            return isWithin ? [] : ["\(path): \(count) elements do not fit \(keyword)"]
        case "minLength", "maxLength":
            guard let length = value.string?.unicodeScalars.count,
                let bound = argument.number?.int64
            else { return [] }
            let isWithin = keyword == "minLength" ? length >= bound : length <= bound
            return isWithin ? [] : ["\(path): \(length) characters do not fit \(keyword)"]
        case "required":
            guard value.object != nil else { return [] }
            return (argument.array ?? []).compactMap(\.string).filter { value[$0] == nil }
                .map { "\(path): has no \($0)" }
        case "properties":
            return (value.object ?? []).flatMap { member in
                argument[member.key].map {
                    faults(of: member.value, by: $0, at: "\(path).\(member.key)")
                } ?? []
            }
        case "additionalProperties":
            let others = (value.object ?? []).filter { schema["properties"]?[$0.key] == nil }
            if argument.bool == false { return others.map { "\(path): \($0.key) is unknown" } }
            return others.flatMap { faults(of: $0.value, by: argument, at: "\(path).\($0.key)") }
        case "items":
            return (value.array ?? []).enumerated().flatMap {
                faults(of: $1, by: argument, at: "\(path)[\($0)]")
            }
        default:
            return Self.annotations.contains(keyword) ? [] : ["\(path): \(keyword) is not known"]
        }
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "object": value.object != nil
        case "array": value.array != nil
        case "string": value.string != nil
        case "boolean": value.bool != nil
        case "number": value.number != nil
        case "integer": value.number?.int64 != nil
        case "null": value.isNull
        default: false
        }
    }
}
