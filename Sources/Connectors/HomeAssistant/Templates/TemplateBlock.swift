import Ingest

/// A part of the text of a template.
enum TemplateBlock: Hashable, Sendable {
    case text(String)
    /// `{{ expression }}`
    case output([TemplateToken])
    /// `{% keyword expression %}`
    case statement(String, [TemplateToken])

    var keyword: String? {
        if case .statement(let keyword, _) = self { keyword } else { nil }
    }

    /// - Throws: ``PayloadError`` for an unclosed block.
    static func blocks(of template: String) throws(PayloadError) -> [TemplateBlock] {
        var blocks: [TemplateBlock] = []
        var rest = template[...]
        var trims = false
        while !rest.isEmpty {
            let start = rest.firstMatch(of: /\{[{%#]/)?.range.lowerBound ?? rest.endIndex
            var text = rest[..<start]
            rest = rest[start...]
            let opening = rest.prefix(2)
            rest = rest.dropFirst(2)
            if trims { text = text.drop(while: \.isWhitespace) }
            if !opening.isEmpty, rest.first == "-" {
                while text.last?.isWhitespace == true { text.removeLast() }
            }
            if !opening.isEmpty, rest.first == "-" || rest.first == "+" { rest.removeFirst() }
            if !text.isEmpty { blocks.append(.text(String(text))) }
            guard !opening.isEmpty else { break }
            let closing = opening == "{{" ? "}}" : opening == "{%" ? "%}" : "#}"
            guard let end = end(of: rest, closing) else {
                throw PayloadError("it has \(opening) without \(closing)")
            }
            var body = rest[..<end]
            rest = rest[end...].dropFirst(2)
            trims = body.last == "-"
            if trims || body.last == "+" { body.removeLast() }
            guard opening != "{#" else { continue }
            let tokens = try TemplateLexer.tokens(of: body)
            if opening == "{{" {
                blocks.append(.output(tokens))
            } else {
                guard case .name(let keyword)? = tokens.first else {
                    throw PayloadError("it has an empty statement")
                }
                blocks.append(.statement(keyword, Array(tokens.dropFirst())))
            }
        }
        return blocks
    }

    /// The end of a block: the first closing mark outside of quotes and of nested braces.
    private static func end(of text: Substring, _ closing: String) -> Substring.Index? {
        var quote: Character?
        var depth = 0
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            if let open = quote {
                if character == "\\", text.index(after: index) < text.endIndex {
                    index = text.index(after: index)
                } else if character == open {
                    quote = nil
                }
            } else if closing != "#}", character == "'" || character == "\"" {
                quote = character
            } else if depth == 0, text[index...].hasPrefix(closing) {
                return index
            } else if character == "{" {
                depth += 1
            } else if character == "}", depth > 0 {
                depth -= 1
            }
            index = text.index(after: index)
        }
        return nil
    }
}
