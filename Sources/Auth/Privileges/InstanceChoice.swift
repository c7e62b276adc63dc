public import Samples

/// Which instances of a kind the person gave, of those that were there to choose from.
///
/// What was not there is neither chosen nor passed over: it is another question.
public struct InstanceChoice: Hashable, Sendable {
    /// The most sensors of one choice, those that were passed over included.
    public static let limit = 256

    /// What it says about a sensor that the kind covers.
    enum Opinion: Hashable {
        case chosen
        /// The name of more than one sensor, some of which are chosen.
        case several
        case passedOver
        /// The sensor was not there when the person chose.
        case silent
    }

    /// In order, each once.
    public let chosen: [SensorID]
    /// Those that were there, too; in order, each once.
    public let passedOver: [SensorID]

    /// - Parameter others: that were there, too; those that are chosen do not count among them.
    public init(_ chosen: [SensorID], passingOver others: [SensorID] = []) {
        let wanted = Set(chosen)
        self.chosen = wanted.sorted()
        passedOver = Set(others).subtracting(wanted).sorted()
    }

    /// Those that are chosen below a name, or under it.
    func chosen(by name: SensorID) -> [SensorID] {
        chosen.contains(name) ? [name] : chosen.filter(name.covers)
    }

    func opinion(on sensor: SensorID) -> Opinion {
        if chosen.contains(sensor) { return .chosen }
        if chosen.contains(where: sensor.covers) { return .several }
        return passedOver.contains(sensor) ? .passedOver : .silent
    }

    /// The part of it that is below a narrower name; `nil` where nothing of it was chosen.
    func narrowed(to name: SensorID) -> InstanceChoice? {
        let rest = chosen.filter(name.covers)
        guard !rest.isEmpty else { return nil }
        return InstanceChoice(rest, passingOver: passedOver.filter(name.covers))
    }
}
