import Ingest

/// What a `value_template` of Home Assistant takes of a message, where it is of the simple kind.
///
/// Such as `{{ value }}` and `{{ value_json.battery['level'] }}`. Those that compute are programs of Jinja,
/// which nobody here runs.
enum ValueTemplate: Hashable, Sendable {
    /// The whole message.
    case whole
    /// One value of a message in JSON.
    case member(JSONPath, String)

    /// - Returns: `nil` for a template of another kind.
    init?(_ text: String) {
        guard text.utf8.count <= 256,
            let match = text.wholeMatch(
                of: /\s*\{\{-?\s*(value|value_json([^{}|\s][^{}|]*?))\s*-?\}\}\s*/)
        else { return nil }
        guard let path = match.2 else {
            self = .whole
            return
        }
        // A path begins with a point or a bracket, so that nothing is computed: not value_json + 1.
        guard path.first == "." || path.first == "[", !path.contains(where: \.isWhitespace),
            !path.contains("("), let member = try? JSONPath("$" + path)
        else { return nil }
        self = .member(member, String(path))
    }

    /// How payloads are to be read.
    var format: PayloadFormat {
        switch self {
        case .whole: .plain
        case .member: .json
        }
    }

    /// How the value is named in payloads.
    var name: String {
        switch self {
        case .whole: "value"
        case .member(_, let path): "$" + path
        }
    }
}
