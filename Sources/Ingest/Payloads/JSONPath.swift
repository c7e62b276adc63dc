public import Text

/// The path of a value in a JSON text: `$`, `.name`, `['any name']` and `[index]` of RFC 9535.
///
/// The leading `$.` is optional. Selectors of several values, such as `..` and `*`, are not supported.
///
/// ```swift
/// let value = try JSONPath("$.main.temp").value(in: json)
/// ```
public struct JSONPath: Hashable, Sendable {
    private enum Step: Hashable {
        case name(String)
        case index(Int)
    }

    private static let maximumSteps = 32

    private let steps: [Step]

    /// Parses a path.
    ///
    /// - Throws: ``PayloadError`` for an invalid or unsupported path.
    public init(_ text: String) throws(PayloadError) {
        var rest = text[...]
        if rest.first == "$" { rest.removeFirst() }
        var steps: [Step] = []
        var isFirst = rest.startIndex == text.startIndex
        while let first = rest.first {
            if first == "[" {
                steps.append(try Self.bracket(&rest, of: text))
            } else {
                if first == "." {
                    rest.removeFirst()
                } else if !isFirst {
                    throw Self.unknown(text)
                }
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, !name.contains(where: { "*'\"$]".contains($0) }) else {
                    throw Self.unknown(text)
                }
                steps.append(.name(String(name)))
                rest = rest[name.endIndex...]
            }
            isFirst = false
        }
        guard !text.isEmpty, steps.count <= Self.maximumSteps else { throw Self.unknown(text) }
        self.steps = steps
    }

    /// The value at this path, if any.
    public func value(in whole: JSONValue) -> JSONValue? {
        var value = whole
        for step in steps {
            switch step {
            case .name(let name):
                guard let next = value[name] else { return nil }
                value = next
            case .index(let index):
                guard let items = value.array, items.indices.contains(index) else { return nil }
                value = items[index]
            }
        }
        return value
    }

    private static func bracket(
        _ rest: inout Substring, of text: String
    ) throws(PayloadError) -> Step {
        rest.removeFirst()
        if let quote = rest.first, quote == "'" || quote == "\"" {
            rest.removeFirst()
            guard let end = rest.firstIndex(of: quote) else { throw unknown(text) }
            let name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            guard rest.first == "]" else { throw unknown(text) }
            rest.removeFirst()
            return .name(name)
        }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let index = Int(digits), digits.count <= 6 else { throw unknown(text) }
        rest = rest[digits.endIndex...]
        guard rest.first == "]" else { throw unknown(text) }
        rest.removeFirst()
        return .index(index)
    }

    private static func unknown(_ text: String) -> PayloadError {
        PayloadError(
            "\(text.escapedForDisplay(limit: 80)) is not a path such as $.main.temp or $.values[0]")
    }
}
