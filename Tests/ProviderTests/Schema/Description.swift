import Auth
import Foundation
import Text

/// The server's OpenAPI document.
struct Description: Sendable {
    let root: JSONValue

    /// One operation and its described responses.
    struct Operation: Sendable {
        let id: String
        let method: String
        let path: String
        let isOpen: Bool
        let content: JSONValue
    }

    struct Fault: Error {
        let text: String
    }

    init(_ bytes: [UInt8]) throws {
        root = try StrictJSON(maximumBytes: 1 << 20).parse(bytes)
    }

    var validator: SchemaValidator { SchemaValidator(root: root) }

    func operations() throws -> [Operation] {
        try (root["paths"]?.object ?? []).flatMap { path in
            try (path.value.object ?? []).map { method in
                guard let id = method.value["operationId"]?.string else {
                    throw Fault(text: "\(method.key) \(path.key) has no operationId")
                }
                return Operation(
                    id: id, method: method.key.uppercased(), path: path.key,
                    isOpen: method.value["security"]?.array?.isEmpty == true,
                    content: method.value)
            }
        }
    }

    /// The described statuses of an operation; `default` is not among them.
    func statuses(of operation: Operation) -> Set<Int> {
        Set((operation.content["responses"]?.object ?? []).compactMap { Int($0.key) })
    }

    /// The differences between an answer and its description; empty if there are none.
    func faults(of answer: Answer, to operation: Operation) -> [String] {
        let responses = operation.content["responses"]
        guard let described = responses?["\(answer.status)"] ?? responses?["default"],
            let response = resolved(described)
        else { return ["no answer with \(answer.status) is described"] }
        let missing = (response["headers"]?.object ?? []).filter {
            $0.value["required"]?.bool == true && answer[$0.key] == nil
        }.map { "has no \($0.key)" }
        guard let content = response["content"]?.object else {
            return missing + (answer.body.isEmpty ? [] : ["has a body"])
        }
        let type = answer["content-type"]?.prefix { $0 != ";" } ?? ""
        guard let schema = content.first(where: { $0.key == type })?.value["schema"] else {
            return missing + ["\(type) is not described"]
        }
        guard type.hasSuffix("json"), !type.hasSuffix("ndjson") else { return missing }
        guard let value = try? answer.json() else { return missing + ["is not strict JSON"] }
        return missing + validator.faults(of: value, by: schema)
    }

    private func resolved(_ value: JSONValue) -> JSONValue? {
        value["$ref"]?.string.map { validator.resolve($0) } ?? value
    }
}
