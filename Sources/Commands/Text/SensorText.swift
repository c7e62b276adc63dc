import API
import Samples
import Text
import VM

extension SensorDescription {
    /// The sensor as text.
    var lines: [String] {
        var lines = [
            "Sensor:   \(id)", "Title:    \(title.escapedForDisplay(limit: 120))",
            "Fields:   \(fields.map(\.shown).joined(separator: ", "))",
            "Source:   \(source.escapedForDisplay(limit: 200))", "Level:    \(levelText)",
            "Newest:   \(newestAge)",
        ]
        if let future {
            lines += [
                "Future:   samples up to \(Format.time(future)), from a clock that was wrong; they do not"
                    + " count as the newest",
                "Remedy:   nervous forget \(id) --from \(Timestamp.now())",
            ]
        }
        if let clock {
            lines.append("Clock:    \(clock.text)")
            if clock.wrong {
                lines.append(
                    "Remedy:   set the clock and the time zone of the source, or of this machine:"
                        + " timedatectl")
            }
        }
        if let unavailable {
            lines.append("Missing:  \(unavailable.reason.escapedForDisplay(limit: 300))")
            if let remedy = unavailable.remedy {
                lines.append("Remedy:   \(remedy.escapedForDisplay(limit: 300))")
            }
        }
        for (index, line) in (note ?? "").split(separator: "\n").enumerated() {
            let label = index == 0 ? "Note:     " : "          "
            lines.append(label + String(line).escapedForDisplay(limit: 300))
        }
        if let failure {
            lines.append(
                "Failure:  \(failure.escapedForDisplay(limit: 300)) (\(failures) in total)")
        }
        return lines + (connection?.lines ?? [])
    }
}

extension SensorDescription {
    /// The level, and at the level `auto` the interval and its bounds: `auto (1s, 200ms to 10s)`.
    var levelText: String {
        guard let interval else { return level }
        let spans = [interval.current, interval.shortest, interval.longest].map { number in
            number.map { Duration.microseconds(Int64($0 * 1000)).span }
        }
        let current = (spans[0] ?? nil).map { "\($0), " } ?? ""
        return "\(level) (\(current)\(spans[1] ?? "") to \(spans[2] ?? ""))"
    }

    /// The age of the newest sample, and whether it is stale.
    var newestAge: String { Format.age(newest) + (stale == true ? ", stale" : "") }

    /// Whether it is one of the sensors of a device, such as a phone, that was declared or is derived
    /// from a declared one, and of which no sample ever came.
    var isSilent: Bool {
        let isOfDevice = id.contains(".")
        let isPassive = source == Sensor.publishedSource || source.hasPrefix("computed from ")
        return available && newest == nil && definition == nil && isOfDevice && isPassive
    }
}

extension SensorDescription.Clock {
    /// The offset in words, such as `3600 s ahead of this machine`.
    var text: String {
        let seconds = Format.value((offset.magnitude / 10).rounded() / 100, unit: "s")
        return offset > 0
            ? "\(seconds) ahead of this machine"
            : "\(seconds) behind this machine, or the samples arrive late"
    }
}

extension SensorDescription.FieldDescription {
    fileprivate var shown: String { unit.map { "\(name) (\($0))" } ?? name }
}

extension ConnectionReport {
    fileprivate var lines: [String] {
        var lines = [
            "Link:     \(state), connected \(connections) times",
            "Messages: \(received) received, \(taken) stored as samples, \(late) of them late",
        ]
        let reasons = [
            (dropped.malformed, "malformed"), (dropped.incomplete, "incomplete"),
            (dropped.invalidTimestamp, "with an invalid timestamp"), (dropped.repeated, "repeated"),
            (dropped.excess, "too many"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !reasons.isEmpty { lines.append("Dropped:  \(reasons.joined(separator: ", "))") }
        if let problem {
            lines.append("Problem:  \(problem.escapedForDisplay(limit: 300))")
        }
        return lines
    }
}
