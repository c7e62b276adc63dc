import Testing
public import Tracks

/// A valid place with the given coordinates.
public func place(_ latitude: Double, _ longitude: Double) throws -> Position {
    try #require(Position(latitude: latitude, longitude: longitude))
}

/// A place some metres east of the intersection of equator and prime meridian.
///
/// The equator is a circle, so its length per degree is exact.
public func equator(_ metres: Double) throws -> Position {
    try place(0, metres / Geodesy.equatorialRadius * 180 / .pi)
}
