package import Text

/// The template of `config.json`: all settings with their defaults, each below a comment.
///
/// A line that begins with `//` and a quotation mark or a brace is an example of a setting that has no
/// default. If all lines that begin with `//` are removed, the template is a valid file that changes
/// nothing.
package enum ConfigurationTemplate {
    /// A setting for programs.
    package struct Entry: Sendable, Encodable {
        let name: String
        let meaning: String
        /// `null` if there is none.
        let standard: JSONValue
        let example: JSONValue?

        private enum CodingKeys: String, CodingKey {
            case name
            case meaning
            case standard = "default"
            case example
        }
    }

    /// All settings, section by section.
    package static var entries: [Entry] {
        ConfigurationSetting.all.map { setting in
            let standard = setting.value(in: Configuration())
            return Entry(
                name: setting.name, meaning: setting.meaning,
                standard: standard ?? JSONValue(.null), example: setting.example)
        }
    }

    private static let introduction = """
        // All settings of Nervous, with their defaults. Write those that you change into the file
        // that `nervous config path` prints, without comments: it is strict JSON. Then see
        // `nervous config check` and `nervous reload`.
        //
        // A setting that follows // without a space has no default: its value is an example.
        """

    /// The text, which ends with a line break.
    package static let text: String = {
        var lines = [introduction, "{"]
        let settings = ConfigurationSetting.all
        var sections: [String] = []
        for setting in settings {
            let section = String(setting.name.split(separator: ".")[0])
            guard !sections.contains(section) else { continue }
            sections.append(section)
            lines += Self.lines(of: section, in: settings, level: 1, isExample: false)
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }()

    /// The lines of a setting, or of a section with all its settings.
    private static func lines(
        of name: String, in settings: [ConfigurationSetting], level: Int, isExample: Bool
    ) -> [String] {
        let key = JSONString.literal(name.split(separator: ".").last.map(String.init) ?? name)
        let margin = String(repeating: "  ", count: level)
        func line(_ text: String, isExample: Bool) -> String {
            isExample ? "\(margin)//\(text)" : "\(margin)\(text)"
        }
        if let setting = settings.first(where: { $0.name == name }) {
            let value = setting.value(in: Configuration())
            let isExample = isExample || value == nil
            let literal = (value ?? setting.example ?? JSONValue(.null)).inLine
            return [
                "\(margin)// \(setting.meaning)",
                line("\(key): \(literal),", isExample: isExample),
            ]
        }
        let inner = settings.filter { $0.name.hasPrefix(name + ".") }
        // A section of which no setting has a default, such as a broker, is an example as a whole.
        let isChoice = inner.allSatisfy { $0.value(in: Configuration()) == nil }
        var lines: [String] = []
        if let meaning = ConfigurationSetting.sections[name] {
            lines.append("\(margin)// \(meaning).")
        }
        lines.append(line("\(key): {", isExample: isExample || isChoice))
        var names: [String] = []
        for setting in inner {
            let rest = setting.name.dropFirst(name.count + 1).split(separator: ".")[0]
            guard !names.contains(String(rest)) else { continue }
            names.append(String(rest))
            lines += Self.lines(
                of: "\(name).\(rest)", in: settings, level: level + 1,
                isExample: isExample || isChoice)
        }
        return lines + [line("},", isExample: isExample || isChoice)]
    }
}

extension JSONValue {
    /// The value as JSON on one line.
    package var inLine: String {
        switch content {
        case .array(let elements): "[\(elements.map(\.inLine).joined(separator: ", "))]"
        case .object(let members):
            "{ "
                + members.map { "\(JSONString.literal($0.key)): \($0.value.inLine)" }
                .joined(separator: ", ") + " }"
        case .null, .bool, .number, .string: text()
        }
    }
}
