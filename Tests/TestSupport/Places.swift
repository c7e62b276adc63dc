import Testing
public import Tracks

/// A place of numbers that are known to be one.
public func place(_ latitude: Double, _ longitude: Double) throws -> Position {
    try #require(Position(latitude: latitude, longitude: longitude))
}

/// A place so many metres east of where the equator and the prime meridian meet.
///
/// The equator is a circle, so that its length by degrees is exact.
public func equator(_ metres: Double) throws -> Position {
    try place(0, metres / Geodesy.equatorialRadius * 180 / .pi)
}
