extension JSONValue {
    /// The value as a JSON text, with the digits of numbers as they were written.
    ///
    /// - Parameter indent: the spaces before it; each level below has two more.
    public func text(indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        switch content {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return number.literal
        case .string(let text): return JSONString.literal(text)
        case .array(let items):
            guard !items.isEmpty else { return "[]" }
            let lines = items.map { "\(margin)  \($0.text(indent: indent + 2))" }
            return "[\n\(lines.joined(separator: ",\n"))\n\(margin)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map {
                "\(margin)  \(JSONString.literal($0.key)): \($0.value.text(indent: indent + 2))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        }
    }
}
