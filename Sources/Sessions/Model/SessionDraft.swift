public import Samples
public import Tracks

/// What a person says of a session, checked.
public struct SessionDraft: Hashable, Sendable {
    /// The most characters of a name and of a description, and the most sensors.
    public static let limits = (name: 100, description: 2000, sensors: 64)

    public let name: String
    public let description: String
    /// The sensors whose samples belong to it; instances of one kind stand side by side.
    public let sensors: [SensorID]

    /// Spaces around the name are cut off.
    ///
    /// - Throws: ``TrackError`` `.invalid` for an empty or too long name, control characters in it
    ///   or, but for line breaks and tabs, in the description, and for no, repeated or too many
    ///   sensors.
    public init(name: String, description: String = "", sensors: [SensorID]) throws(TrackError) {
        var name = name[...]
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        guard (1...Self.limits.name).contains(name.count), name.utf8.count <= Self.limits.name * 8
        else {
            throw TrackError(.invalid, "The name of a session has 1 to 100 characters.")
        }
        guard description.count <= Self.limits.description,
            description.utf8.count <= Self.limits.description * 8
        else {
            throw TrackError(
                .invalid, "The description of a session has 2000 characters at most.")
        }
        let controls = description.unicodeScalars.filter { !"\n\r\t".unicodeScalars.contains($0) }
        guard
            (name.unicodeScalars + controls).allSatisfy({
                $0.properties.generalCategory != .control
            })
        else {
            throw TrackError(.invalid, "A session is described without control characters.")
        }
        guard (1...Self.limits.sensors).contains(sensors.count),
            Set(sensors).count == sensors.count
        else {
            throw TrackError(.invalid, "A session has 1 to 64 sensors, each of them once.")
        }
        (self.name, self.description, self.sensors) = (String(name), description, sensors)
    }
}
