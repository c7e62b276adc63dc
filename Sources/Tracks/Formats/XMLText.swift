/// A text as it stands in XML, between elements or in an attribute.
struct XMLText: CustomStringConvertible {
    let description: String

    /// What XML cannot hold at all becomes a replacement character.
    init(_ text: String) {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        description = escaped
    }
}
