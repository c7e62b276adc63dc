/// Why a reading that an app sent is not kept.
public enum DropReason: String, Hashable, Sendable, CaseIterable, Error {
    /// It has not the shape of a reading.
    case malformed
    /// Nothing here is called so.
    case unknownName = "unknown-name"
    /// It tells of something other than what is measured.
    case otherType = "other-type"
    /// It lacks a value that the sensor has a field for.
    case incomplete
    /// A value is of another kind than its field, is not finite or lies out of bounds.
    case value
    /// Its time is before 1970, or more than a day ahead.
    case time
    /// It is of one sensor too many for a body.
    case tooManySensors = "too-many-sensors"

    /// The same for a person, as the end of a sentence.
    public var words: String {
        switch self {
        case .malformed: "it has not the shape of a reading"
        case .unknownName: "nothing here is called so"
        case .otherType: "it is no measurement"
        case .incomplete: "it lacks a value of the sensor"
        case .value: "a value does not fit its field"
        case .time: "its time is before 1970 or more than a day ahead"
        case .tooManySensors: "the body names too many sensors"
        }
    }
}
