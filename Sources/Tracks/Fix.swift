public import Samples

/// A position on the WGS 84 ellipsoid.
public struct Position: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public let latitude: Double
    /// Degrees east, −180 to 180.
    public let longitude: Double

    /// Creates a position.
    ///
    /// - Returns: `nil` for numbers that are not finite or beyond the ranges.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Decodes a position.
    ///
    /// - Throws: `DecodingError` for numbers beyond the ranges.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        guard let position = Position(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(
                forKey: .latitude, in: container, debugDescription: "not a position on Earth")
        }
        self = position
    }

    /// The length of the geodesic in metres; see ``Geodesy``.
    public func distance(to other: Position) -> Double {
        Geodesy.distance(from: self, to: other)
    }
}

/// One position report of a receiver.
public struct Fix: Hashable, Sendable {
    /// When it was measured.
    public let time: Timestamp
    /// Where it was measured.
    public let position: Position
    /// Metres above mean sea level; `nil` if unknown.
    public let altitude: Double?
    /// The horizontal accuracy as a radius in metres; `nil` if unknown.
    public let accuracy: Double?
    /// Speed over ground in m/s; `nil` if unknown.
    public let speed: Double?
    /// Course in degrees clockwise from true north; `nil` if unknown.
    public let heading: Double?

    /// Creates a fix.
    ///
    /// Numbers that are not finite are unknown, and so are a negative accuracy, speed or heading: phones
    /// report -1.
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

    /// The newest fix of a batch; of equal times the last one.
    ///
    /// - Returns: `nil` for an empty batch.
    public static func newest(of batch: some Sequence<Fix>) -> Fix? {
        var newest: Fix?
        for fix in batch where newest.map({ fix.time >= $0.time }) ?? true { newest = fix }
        return newest
    }
}

extension Fix {
    /// The value of an unknown accuracy, speed or heading in a sample, which has a number in each field.
    public static let unknown = -1.0
    /// The value of an unknown altitude, as in the ASCII grids of elevation models (Esri): lower than any
    /// place on Earth.
    public static let unknownAltitude = -9999.0

    /// The fields of a location sensor; the first two are required.
    public static let fields = [
        Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
        Field("altitude", unit: "m"), Field("accuracy", unit: "m"), Field("speed", unit: "m/s"),
        Field("heading", unit: "deg"),
    ]

    /// The values of ``fields``, with ``unknown`` and ``unknownAltitude`` for missing ones.
    public var numbers: [Double] {
        [
            position.latitude, position.longitude, altitude ?? Self.unknownAltitude,
            accuracy ?? Self.unknown, speed ?? Self.unknown, heading ?? Self.unknown,
        ]
    }

    /// Reads a sample of a sensor with some of ``fields``, in any order and among others.
    ///
    /// - Returns: `nil` without a valid position.
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

/// The accuracy that a fix must have.
public struct AccuracyLimit: Hashable, Sendable {
    /// The largest accepted accuracy radius in metres.
    public let metres: Double

    /// 100 m, for phones and cars.
    public static let coarse = AccuracyLimit(metres: 100)
    /// 10 m, for watches.
    public static let fine = AccuracyLimit(metres: 10)

    /// Creates a limit.
    public init(metres: Double) {
        self.metres = metres
    }

    /// Whether a fix is accurate enough; a fix of unknown accuracy is accepted.
    public func accepts(_ fix: Fix) -> Bool {
        fix.accuracy.map { $0 <= metres } ?? true
    }
}
