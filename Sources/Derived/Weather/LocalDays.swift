public import Samples

/// Which day it is at a place, from its offsets to UTC.
///
/// Clocks change twice a year in many places: a day there may have 23 or 25 hours.
public struct LocalDays: Hashable, Sendable {
    /// From a moment on, clocks are so far ahead of UTC.
    public struct Offset: Hashable, Sendable {
        public let from: Timestamp
        public let ahead: Duration

        public init(from: Timestamp, ahead: Duration) {
            (self.from, self.ahead) = (from, ahead)
        }
    }

    private let offsets: [Offset]

    /// - Parameter offsets: in any order; before the first, that holds too. UTC when there is none.
    public init(_ offsets: [Offset]) {
        self.offsets = offsets.sorted { $0.from < $1.from }
    }

    /// A place whose clocks never change.
    public init(ahead: Duration) {
        self.init([Offset(from: .distantPast, ahead: ahead)])
    }

    /// Microseconds of the local clock since its 1970.
    func local(_ time: Timestamp) -> Int64 {
        let offset = offsets.last { $0.from <= time } ?? offsets.first
        return time.advanced(byMicroseconds: offset?.ahead.wholeMicroseconds ?? 0).microseconds
    }

    /// The number of the day since 1970, by the local clock.
    public func day(_ time: Timestamp) -> Int64 {
        let (quotient, rest) = local(time).quotientAndRemainder(dividingBy: 86_400_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// `YYYY-MM-DD` of a day.
    public static func date(_ day: Int64) -> String {
        let (start, overflow) = day.multipliedReportingOverflow(by: 86_400_000_000)
        let time = Timestamp(microseconds: overflow ? (day < 0 ? .min : .max) : start)
        return String(time.description.prefix { $0 != "T" })
    }
}
