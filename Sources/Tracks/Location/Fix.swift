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
    public let heading: Double?

    /// A number that is not finite counts as not known, and so does a negative accuracy, speed or
    /// heading, which phones tell as -1.
    public init(
        time: Timestamp, position: Position, altitude: Double? = nil, accuracy: Double? = nil,
        speed: Double? = nil, heading: Double? = nil
    ) {
        self.time = time
        self.position = position
        self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        self.accuracy = accuracy.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.speed = speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.heading = heading.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
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
    /// What stands for an accuracy, a speed or a heading that is not known in a sample, which has a
    /// number in every field.
    public static let unknown = -1.0
    /// What stands for an altitude that is not known, as in the ASCII grids of elevation models (Esri):
    /// lower than anything on Earth.
    public static let unknownAltitude = -9999.0

    /// The fields that a sensor of locations may have; the first two it must have.
    public static let fields = [
        Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
        Field("altitude", unit: "m"), Field("accuracy", unit: "m"), Field("speed", unit: "m/s"),
        Field("heading", unit: "deg"),
    ]

    /// Its numbers in the order of ``fields``, with ``unknown`` and ``unknownAltitude`` where there are
    /// none.
    public var numbers: [Double] {
        [
            position.latitude, position.longitude, altitude ?? Self.unknownAltitude,
            accuracy ?? Self.unknown, speed ?? Self.unknown, heading ?? Self.unknown,
        ]
    }

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
            time: sample.time, position: position,
            altitude: numbers["altitude"].flatMap { $0 > Self.unknownAltitude ? $0 : nil },
            accuracy: numbers["accuracy"], speed: numbers["speed"], heading: numbers["heading"])
    }
}
