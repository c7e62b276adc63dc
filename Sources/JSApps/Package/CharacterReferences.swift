/// Characters that HTML writes by name or number in an attribute.
enum CharacterReferences {
    private static let names: [Substring: Character] = [
        "quot": "\"", "amp": "&", "lt": "<", "gt": ">", "apos": "'", "nbsp": "\u{A0}",
    ]

    /// Replaces those that end with a semicolon: numbers, and the names that scripts need.
    static func decode(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var decoded = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            decoded += rest[..<mark]
            rest = rest[mark...].dropFirst()
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[..<end])
            else {
                decoded += "&"
                continue
            }
            decoded.append(character)
            rest = rest[end...].dropFirst()
        }
        return decoded + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        guard reference.hasPrefix("#") else { return names[reference] }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number =
            isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
