/// A text escaped for XML and HTML, as content or as the value of an attribute.
public struct XMLText: CustomStringConvertible {
    public let description: String

    /// Characters that XML cannot contain become U+FFFD.
    public init(_ text: String) {
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
