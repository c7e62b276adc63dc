import Samples
import Text

/// Turns what phones say into values of fields, and stops at the first that is none.
struct PhoneValues {
    /// Stands for a speed, an accuracy or a heading that is not known, as with CoreLocation and Sensor
    /// Logger.
    private static let unknown = -1.0

    private(set) var values: [String: Value] = [:]

    /// A finite number that has to be there.
    mutating func number(
        _ field: String, _ json: JSONValue?, in bounds: ClosedRange<Double>? = nil,
        times factor: Double = 1
    ) throws(DropReason) {
        guard let json else { throw .incomplete }
        guard let number = json.double, number.isFinite, bounds?.contains(number) ?? true else {
            throw .value
        }
        values[field] = .number(number * factor)
    }

    /// A finite number that may be missing.
    mutating func optional(_ field: String, _ json: JSONValue?) throws(DropReason) {
        if let json { try number(field, json) }
    }

    /// A number that is -1 where it is missing or negative.
    mutating func known(
        _ field: String, _ json: JSONValue?, times factor: Double = 1
    ) throws(DropReason) {
        guard let json else {
            values[field] = .number(Self.unknown)
            return
        }
        try number(field, json, times: factor)
        if case .number(let number) = values[field], number < 0 {
            values[field] = .number(Self.unknown)
        }
    }

    mutating func count(_ field: String, _ json: JSONValue?) throws(DropReason) {
        guard let json else { throw .incomplete }
        guard let count = json.int64, count >= 0 else { throw .value }
        values[field] = .integer(count)
    }

    /// A place; the accuracy, the speed in m/s and the heading may be missing, and so may the altitude.
    mutating func place(
        latitude: JSONValue?, longitude: JSONValue?, altitude: JSONValue?, accuracy: JSONValue?,
        speed: JSONValue?, speedFactor: Double = 1, heading: JSONValue?
    ) throws(DropReason) {
        try number("latitude", latitude, in: -90...90)
        try number("longitude", longitude, in: -180...180)
        try optional("altitude", altitude)
        try known("accuracy", accuracy)
        try known("speed", speed, times: speedFactor)
        try known("heading", heading)
    }

    mutating func state(_ field: String, _ name: String) {
        values[field] = .text(name)
    }
}
