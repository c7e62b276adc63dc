import Foundation
import Ingest
import Samples
import Text

/// A `value_template` of Home Assistant: a part of Jinja without loops, macros and states of other sensors.
///
/// It is pure, and evaluated in a bounded number of steps.
///
/// ```swift
/// let template = try ValueTemplate("{{ value_json.t | float | round(1) }}")
/// let value = template.value(of: TemplateInput(payload))
/// ```
struct ValueTemplate: Hashable, Sendable {
    /// The maximum size of a template in bytes.
    static let limit = 4096
    private static let nodes = 512
    private static let deepest = 16

    private indirect enum Part: Hashable {
        case text(String)
        case output(TemplateExpression)
        case assignment(String, TemplateExpression)
        /// The parts of the first branch whose condition is true; `nil` for `else`.
        case branches([Branch])
    }

    private struct Branch: Hashable {
        let condition: TemplateExpression?
        let parts: [Part]
    }

    /// The template `{{ value }}`.
    static let whole = ValueTemplate(
        parts: [.output(.variable("value"))], text: "{{ value }}")

    private let parts: [Part]
    private let text: String

    /// - Throws: ``PayloadError`` that names what is not supported.
    init(_ text: String) throws(PayloadError) {
        guard text.utf8.count <= Self.limit else {
            throw PayloadError("it has more than \(Self.limit) bytes")
        }
        var reader = BlockReader(try TemplateBlock.blocks(of: text), budget: Self.nodes)
        parts = try reader.parts()
        self.text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private init(parts: [Part], text: String) {
        (self.parts, self.text) = (parts, text)
    }

    /// The value for display: a path such as `$.temperature`, or the text; `nil` for the whole message.
    var name: String? {
        guard
            let match = text.wholeMatch(
                of: /\{\{-?\s*value(_json(?<path>[.\[][^{}|\s()]*))?\s*-?\}\}/)
        else { return text }
        return match.path.map { "$\($0)" }
    }

    /// The value of a message.
    ///
    /// - Returns: `nil` if the message has none: the template failed, or printed nothing or `None`.
    func value(of input: TemplateInput) -> Value? {
        var variables = input.variables
        var output: [TemplateValue] = []
        guard (try? Self.print(parts, &variables, &output)) != nil else { return nil }
        // White space around a value is no text.
        let printed = output.filter { value in
            if case .text(let text) = value { text.contains { !$0.isWhitespace } } else { true }
        }
        if printed.count == 1 {
            switch printed[0] {
            case .integer(let integer): return .integer(integer)
            case .float(let number): return .number(number)
            default: break
            }
        }
        var text = ""
        for value in output {
            guard let more = try? TemplateFunction.limited(text + value.printed()) else {
                return nil
            }
            text = more
        }
        text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty || text == "None" ? nil : .text(text)
    }

    private static func print(
        _ parts: [Part], _ variables: inout [String: TemplateValue],
        _ output: inout [TemplateValue]
    ) throws(TemplateFailure) {
        for part in parts {
            switch part {
            case .text(let text): output.append(.text(text))
            case .output(let expression): output.append(try expression.value(variables))
            case .assignment(let name, let expression):
                variables[name] = try expression.value(variables)
            case .branches(let branches):
                for branch in branches {
                    if let condition = branch.condition, try !condition.value(variables).isTrue {
                        continue
                    }
                    try print(branch.parts, &variables, &output)
                    break
                }
            }
        }
    }

    /// Reads blocks as a tree.
    private struct BlockReader {
        private let blocks: [TemplateBlock]
        private var position = 0
        private var budget: Int
        private var depth = 0
        private var variables: Set<String> = ["value", "value_json"]

        init(_ blocks: [TemplateBlock], budget: Int) {
            (self.blocks, self.budget) = (blocks, budget)
        }

        mutating func parts() throws(PayloadError) -> [Part] {
            let parts = try sequence()
            guard position == blocks.count else {
                throw PayloadError("it has an unexpected \(blocks[position].keyword ?? "end")")
            }
            return parts
        }

        /// Reads up to a block that ends a branch.
        private mutating func sequence() throws(PayloadError) -> [Part] {
            var parts: [Part] = []
            while position < blocks.count {
                switch blocks[position] {
                case .text(let text): parts.append(.text(text))
                case .output(let tokens): parts.append(.output(try expression(tokens)))
                case .statement("set", let tokens):
                    guard case .name(let name)? = tokens.first, tokens.count > 2,
                        tokens[1] == .symbol("=")
                    else { throw PayloadError("it has an unsupported set") }
                    parts.append(
                        .assignment(name, try expression(Array(tokens.dropFirst(2)))))
                    variables.insert(name)
                case .statement("if", _):
                    parts.append(try branches())
                    continue
                case .statement("elif", _), .statement("else", _), .statement("endif", _):
                    return parts
                case .statement(let keyword, _):
                    throw PayloadError(
                        "the statement \(keyword.escapedForDisplay(limit: 40)) is not supported")
                }
                position += 1
            }
            return parts
        }

        private mutating func branches() throws(PayloadError) -> Part {
            guard depth < ValueTemplate.deepest else {
                throw PayloadError("it is nested too deeply")
            }
            depth += 1
            defer { depth -= 1 }
            var branches: [Branch] = []
            var isLast = false
            while position < blocks.count {
                guard case .statement(let keyword, let tokens) = blocks[position] else { break }
                if keyword == "endif" {
                    guard tokens.isEmpty else { break }
                    position += 1
                    return .branches(branches)
                }
                guard !isLast else { throw PayloadError("it has an unexpected \(keyword)") }
                isLast = keyword == "else"
                guard !isLast || tokens.isEmpty else { break }
                let condition = isLast ? nil : try expression(tokens)
                position += 1
                branches.append(Branch(condition: condition, parts: try sequence()))
            }
            throw PayloadError("it has an if without endif")
        }

        private mutating func expression(
            _ tokens: [TemplateToken]
        ) throws(PayloadError) -> TemplateExpression {
            var parser = TemplateParser(tokens, variables: variables, budget: budget)
            let expression = try parser.expression()
            budget = parser.budget
            return expression
        }
    }
}

/// A message as the variables of a template; a JSON text is parsed once for all templates.
struct TemplateInput: Sendable {
    let variables: [String: TemplateValue]

    /// - Returns: `nil` for a message that is no text or is too long.
    init?(_ payload: [UInt8]) {
        guard payload.count <= PayloadReader.limit,
            let text = String(validating: payload, as: UTF8.self)
        else { return nil }
        var variables = ["value": TemplateValue.text(text)]
        if let json = try? StrictJSON(maximumBytes: PayloadReader.limit).parse(payload) {
            variables["value_json"] = TemplateValue(json)
        }
        self.variables = variables
    }
}
