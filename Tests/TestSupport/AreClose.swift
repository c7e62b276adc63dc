/// Whether two numbers are equal within a relative tolerance, or both missing.
public func areClose(_ found: Double?, _ wanted: Double?, _ tolerance: Double, scale: Double = 0)
    -> Bool
{
    guard let found, let wanted else { return found == nil && wanted == nil }
    return abs(found - wanted) <= tolerance * max(abs(wanted), scale)
}

/// Whether all numbers are equal within a tolerance relative to the largest of them.
public func areClose(_ found: [Double], _ wanted: [Double], _ tolerance: Double) -> Bool {
    let scale = wanted.map(abs).max() ?? 0
    return found.count == wanted.count
        && zip(found, wanted).allSatisfy { areClose($0, $1, tolerance, scale: scale) }
}
