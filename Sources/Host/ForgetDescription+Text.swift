import API
import Provider

extension ForgetDescription {
    /// The receipt for a person.
    var lines: [String] {
        var lines = [
            "Forgotten: \(sensor) \(stretch)",
            "  when       \(Format.time(time))",
            "  samples    \(samples)",
            "  summaries  \(summaries) of hours, which stood for \(summarised) samples",
            "  bytes      \(bytes)",
        ]
        if hoursBeyond > 0 {
            lines.append(
                "  \(hoursBeyond) of the hours reach beyond that; their summaries went whole, since"
                    + " their samples were gone already.")
        }
        if unreadable > 0 {
            lines.append("  \(unreadable) stretches could not be read, and went whole.")
        }
        lines.append(
            erased
                ? "  The bytes are overwritten or cut off in the file and its log."
                : "  Somebody still reads an earlier state of the file; its bytes go with the next"
                    + " maintenance.")
        lines.append("  What stays: the lines of the access log. They hold no values.")
        return lines
    }

    private var stretch: String {
        if from == nil, to == nil { return "– everything" }
        return [from.map { "from \(Format.time($0))" }, to.map { "to \(Format.time($0))" }]
            .compactMap(\.self).joined(separator: " ")
    }
}

extension AppForgetReceipt {
    /// The receipt for a person.
    var lines: [String] {
        [
            "Forgotten: \(app)",
            "  when       \(Format.time(time))",
            "  decisions  \(decisions)",
            "  runs       \(runs)",
            "  stored     \(Format.bytes(Double(stored)))",
            "  What stays: the app itself, and its lines of the access log.",
            "  It asks again at its next run.",
        ]
    }
}
