/// A place on the WGS 84 ellipsoid.
public struct Position: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public let latitude: Double
    /// Degrees east, −180 to 180.
    public let longitude: Double

    /// - Returns: `nil` for what is not finite or beyond the ranges.
    public init?(latitude: Double, longitude: Double) {
        // NaN is in no range.
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// - Throws: `DecodingError` for what is beyond the ranges.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        guard let position = Position(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(
                forKey: .latitude, in: container, debugDescription: "not a place on Earth")
        }
        self = position
    }

    /// Metres along the shortest way over the ellipsoid; see ``Geodesy``.
    public func distance(to other: Position) -> Double {
        Geodesy.distance(from: self, to: other)
    }
}
