import Samples

/// Gives each instance of a kind a unique identifier.
struct InstanceNames {
    private let kind: SensorID
    private var taken: Set<SensorID> = []

    init(of kind: SensorID) {
        self.kind = kind
    }

    /// The kind's instance `name`; `name-2`, `name-3` and so on when that is taken.
    mutating func claim(_ name: String) -> SensorID {
        let first = kind.instance(name)
        var candidate = first
        var number = 2
        while !taken.insert(candidate).inserted {
            let slug = first.description.dropFirst(kind.description.utf8.count + 1)
            let suffix = "-\(number)"
            let room = SensorID.maximumLength - kind.description.utf8.count - 1
            candidate = kind.instance(slug.prefix(max(1, room - suffix.utf8.count)) + suffix)
            number += 1
        }
        return candidate
    }
}

/// Turns the labels of a device into field names, each different from the others.
struct FieldNames {
    private var taken: Set<String> = []

    /// The name of a field: `label` in camelCase; `fallback` when that is not a name or is taken; a
    /// numbered `fallback` when both are taken.
    ///
    /// `Package id 0` becomes `packageId0`; `+3.3V` is not a name, since it does not start with a
    /// letter.
    mutating func claim(label: String?, fallback: String) -> String {
        let label = label.flatMap(Self.camelCase)
        for candidate in [label, fallback] {
            if let candidate, taken.insert(candidate).inserted { return candidate }
        }
        var number = 2
        while !taken.insert("\(fallback)Number\(number)").inserted { number += 1 }
        return "\(fallback)Number\(number)"
    }

    private static func camelCase(_ label: String) -> String? {
        let words = label.prefix(48).split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        guard let first = words.first, first.first?.isLetter == true else { return nil }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return first.lowercased() + rest.joined()
    }
}

extension DiscoveredSensor {
    /// A sensor that is polled when a trial read succeeds, and otherwise unavailable with the error.
    ///
    /// The reader of the trial is discarded: a rate must not include time in which the sensor was off.
    static func probed(
        _ sensor: Sensor, _ reader: some SampleReader, remedy: String?
    ) -> DiscoveredSensor {
        var trial = reader
        do throws(SensorError) {
            _ = try trial.read()
            return DiscoveredSensor(sensor, .polled(reader))
        } catch {
            return DiscoveredSensor(
                sensor, .unavailable(reason: error.message, remedy: remedy))
        }
    }
}
