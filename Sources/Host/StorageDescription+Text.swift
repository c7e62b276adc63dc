import API
import Provider

extension RetentionDescription {
    /// The rule in words.
    var text: String {
        [
            raw.map { "samples for \($0)" } ?? "samples while they fit",
            bytes.map { "at most \(Format.bytes(Double($0)))" },
            summaries.map { "summaries for \($0)" } ?? "summaries for good",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension StorageDescription {
    /// A table of the sensors, and what they take together.
    var lines: [String] {
        var table = Table("SENSOR", "SAMPLES", "BYTES", "A SAMPLE", "A DAY", "LEFT", "RULE")
        for sensor in sensors where sensor.samples > 0 || sensor.summaries > 0 {
            table.add(
                sensor.sensor, "\(sensor.samples)", Format.bytes(Double(sensor.bytes)),
                sensor.samples > 0
                    ? Format.number(
                        (Double(sensor.bytes) / Double(sensor.samples) * 10).rounded() / 10) + " B"
                    : "–",
                sensor.bytesPerDay.map(Format.bytes) ?? "–", sensor.daysLeft.map(Self.days) ?? "–",
                sensor.rule.text)
        }
        var lines = table.isEmpty ? ["Nothing is kept yet."] : table.lines + [""]
        lines.append(
            "\(Format.bytes(Double(bytes))) on disk, \(Format.bytes(Double(reusable))) of it to be"
                + " used again; budget \(Format.bytes(Double(budget))),"
                + " free on the disk \(Format.bytes(Double(free)))")
        lines.append("Sensors without a rule of their own: \(standard.text)")
        if !shrinks {
            lines.append(
                "The file is of an older version: what samples leave is used again, but the file"
                    + " does not get smaller.")
        }
        return lines
    }

    private static func days(_ count: Double) -> String {
        switch count {
        case ..<0.05: "none"
        case ..<2: "\(Format.number((count * 24).rounded())) h"
        case ..<730: "\(Int(count)) d"
        default: "\(Int(count / 365)) y"
        }
    }
}
