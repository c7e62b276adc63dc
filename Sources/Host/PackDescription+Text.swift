import API
import Provider
import Text

extension PackDescription {
    /// Where its source is, as it may be shown.
    var shownPlace: String { place.escapedForDisplay(limit: 200) }

    /// What a person is told before it is installed.
    var lines: [String] {
        let version = version.map { " \($0.escapedForDisplay(limit: 40))" } ?? ""
        let fields = fields.map { field in
            let unit = field.unit.map { " (\($0))" } ?? ""
            return "\(field.name)\(unit)"
        }.joined(separator: ", ")
        var lines = [
            "Sensor:  \(id)\(installed ? ", which is installed already" : "")",
            "Title:   \"\(title.escapedForDisplay(limit: 120))\"\(version)",
            "Fields:  \(fields.escapedForDisplay(limit: 400))",
            "Source:  \(kind), \(shownPlace)",
            "         \(consequence)",
        ]
        if let description { lines.append("Says:    \(description.escapedForDisplay(limit: 400))") }
        return lines
    }
}
