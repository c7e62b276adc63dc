public import Samples

/// Values a device or a program reported at one time, by its own names.
public struct Reading: Hashable, Sendable {
    /// The time of the measurement; `nil` if unknown, and then the arrival time is used.
    public var time: Timestamp?
    /// The values by name.
    public var values: [String: Value]

    /// Creates a reading.
    public init(time: Timestamp? = nil, values: [String: Value]) {
        self.time = time
        self.values = values
    }
}

extension Reading {
    /// The reading as a sample with the values of `fields`.
    ///
    /// Other values are ignored. Integers are converted for `number` fields, and whole numbers for
    /// `integer` fields; a text has at most 64 KiB. The time must be between 1970 and a day after
    /// `arrival`.
    ///
    /// - Parameter arrival: when it was received; the time of readings that have none.
    /// - Throws: `incomplete`, `value` or `time`.
    public func sample(of fields: [Field], arrival: Timestamp) throws(DropReason) -> Sample {
        let moment = time ?? arrival
        guard moment.microseconds >= 0,
            moment <= arrival.advanced(byMicroseconds: PushLimits.ahead)
        else { throw .time }
        var row: [Value] = []
        for field in fields {
            guard let value = values[field.name] else { throw .incomplete }
            guard let fitted = value.fitted(to: field.kind) else { throw .value }
            row.append(fitted)
        }
        return Sample(time: moment, values: row)
    }
}

extension Value {
    /// The value converted for a kind of field, or `nil` if that is impossible.
    fileprivate func fitted(to kind: Field.Kind) -> Value? {
        switch (self, kind) {
        case (.integer(let integer), .number): return .number(Double(integer))
        case (.number(let number), .integer): return Int64(exactly: number).map(Value.integer)
        case (.text(let text), _) where text.utf8.count > PushLimits.text: return nil
        default: return fits(kind) ? self : nil
        }
    }
}

/// Why a pushed reading is dropped.
public enum DropReason: String, Hashable, Sendable, CaseIterable, Error {
    /// It is not a valid reading.
    case malformed
    /// No sensor has this name.
    case unknownName = "unknown-name"
    /// It is not a measurement.
    case otherType = "other-type"
    /// A value of the sensor is missing.
    case incomplete
    /// A value does not match the kind of its field, is not finite or is out of range.
    case value
    /// Its time is before 1970 or more than a day in the future.
    case time
    /// The body contains too many sensors.
    case tooManySensors = "too-many-sensors"

    /// The reason as a clause for messages.
    public var words: String {
        switch self {
        case .malformed: "it is not a valid reading"
        case .unknownName: "no sensor has this name"
        case .otherType: "it is not a measurement"
        case .incomplete: "a value of the sensor is missing"
        case .value: "a value does not fit its field"
        case .time: "its time is before 1970 or more than a day in the future"
        case .tooManySensors: "the body contains too many sensors"
        }
    }
}
