import Foundation

/// A point in time: whole microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Every `Int64` is valid; arithmetic saturates at the ends instead of trapping.
///
/// ```swift
/// let time = Timestamp(rfc3339: "2026-03-01T13:00:00.25+01:00")
/// time?.description                          // "2026-03-01T12:00:00.250000Z"
/// time?.advanced(by: .seconds(1))            // one second later
/// ```
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    /// The earliest timestamp.
    public static let distantPast = Timestamp(microseconds: .min)
    /// The latest timestamp.
    public static let distantFuture = Timestamp(microseconds: .max)

    /// - Parameter microseconds: since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Converts milliseconds since 1970, rounded to the nearest microsecond.
    ///
    /// - Returns: `nil` for NaN, an infinity, or a time outside the range of `Int64` microseconds.
    public init?(milliseconds: Double) {
        // Multiplying the whole number would round twice, which is wrong by a microsecond from 2106 on.
        let whole = milliseconds.rounded(.down)
        guard let wholes = Int64(exactly: whole) else { return nil }
        let fraction = Int64(((milliseconds - whole) * 1000).rounded())
        let scaled = wholes.multipliedReportingOverflow(by: 1000)
        let sum = scaled.partialValue.addingReportingOverflow(fraction)
        guard !scaled.overflow, !sum.overflow else { return nil }
        microseconds = sum.partialValue
    }

    /// Milliseconds since 1970 with the microseconds as the fraction; exact until the year 2248.
    public var milliseconds: Double {
        Double(microseconds) / 1000
    }

    /// The current time of the machine's wall clock.
    public static func now() -> Timestamp {
        // A double holds microseconds exactly until the year 2255.
        let seconds = Date().timeIntervalSince1970
        return Timestamp(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    /// This timestamp moved by `microseconds`, clamped to the representable range.
    public func advanced(byMicroseconds microseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.microseconds.addingReportingOverflow(microseconds)
        guard overflow else { return Timestamp(microseconds: sum) }
        return microseconds < 0 ? .distantPast : .distantFuture
    }

    /// Compares microseconds.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp: InstantProtocol {
    /// This timestamp moved by `duration`, clamped to the representable range.
    public func advanced(by duration: Duration) -> Timestamp {
        advanced(byMicroseconds: duration.wholeMicroseconds)
    }

    /// The duration from this timestamp to `other`, negative when that is earlier.
    public func duration(to other: Timestamp) -> Duration {
        let (difference, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
        guard overflow else { return .microseconds(difference) }
        return .microseconds(self < other ? Int64.max : .min)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with microseconds, such as `2026-03-01T12:00:00.250000Z`.
    public var description: String {
        let day: Int64 = 86_400_000_000
        let (days, rest) = microseconds.floorDivided(by: day)
        let date = CivilDate(daysSince1970: days)
        let seconds = rest / 1_000_000
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { pad($0, 2) }
        return "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2))T"
            + parts.joined(separator: ":") + ".\(pad(rest % 1_000_000, 6))Z"
    }

    private func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

extension Int64 {
    /// Quotient rounded towards minus infinity, and the remainder in `0..<divisor`.
    func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
