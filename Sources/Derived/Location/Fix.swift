public import Samples

/// One measurement of where something is.
public struct Fix: Hashable, Sendable {
    /// When it was measured.
    public let time: Timestamp
    public let position: Position
    /// Metres above mean sea level; `nil` when it is not known.
    public let altitude: Double?
    /// The radius in metres in which the place is likely to be; `nil` when it is not known.
    public let accuracy: Double?
    /// Over ground, in m/s; `nil` when it is not known.
    public let speed: Double?
    /// The direction of movement in degrees clockwise from true north; `nil` when it is not known.
    public let course: Double?

    /// A number that is not finite counts as not known, and so does a negative accuracy,
    /// speed or course, which phones tell as -1.
    public init(
        time: Timestamp, position: Position, altitude: Double? = nil, accuracy: Double? = nil,
        speed: Double? = nil, course: Double? = nil
    ) {
        self.time = time
        self.position = position
        self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        self.accuracy = accuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.speed = speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.course = course.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// The fix of a batch that was measured last, of equal times the last in the batch.
    ///
    /// - Returns: `nil` of an empty batch.
    public static func newest(of batch: some Sequence<Fix>) -> Fix? {
        var newest: Fix?
        for fix in batch where newest.map({ fix.time >= $0.time }) ?? true { newest = fix }
        return newest
    }
}

extension Fix {
    /// The fields that a sensor of locations may have; the first two it must have.
    public static let fields = [
        Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
        Field("altitude", unit: "m"), Field("accuracy", unit: "m"), Field("speed", unit: "m/s"),
        Field("course", unit: "deg"),
    ]

    /// Reads a sample of a sensor with some of ``fields``, in any order and among others.
    ///
    /// - Returns: `nil` when there is no place in it.
    public init?(_ sample: Sample, fields: [Field]) {
        var numbers: [String: Double] = [:]
        for (field, value) in zip(fields, sample.values) { numbers[field.name] = value.double }
        guard let latitude = numbers["latitude"], let longitude = numbers["longitude"],
            let position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        self.init(
            time: sample.time, position: position, altitude: numbers["altitude"],
            accuracy: numbers["accuracy"], speed: numbers["speed"], course: numbers["course"])
    }
}
