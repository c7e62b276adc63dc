public import Samples
import Text

/// How a payload tells its time.
public struct TimeRule: Hashable, Sendable {
    /// How times are written.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        /// Seconds, milliseconds, microseconds or nanoseconds since 1970, with or without a fraction.
        case s, ms, us, ns
        /// RFC 3339.
        case rfc3339
    }

    /// How far ahead of this machine's clock a source's may be.
    public static let tolerance: Int64 = 60_000_000
    /// 2000-01-01: what is before it comes of a clock that was not set.
    public static let earliest = Timestamp(microseconds: 946_684_800_000_000)

    /// How the payload names it.
    public let name: String
    public let form: Form

    public init(_ name: String, form: Form) {
        (self.name, self.form) = (name, form)
    }

    /// The moment that a value tells, to the microsecond; `nil` when it tells none.
    func moment(_ value: Value) -> Timestamp? {
        if form == .rfc3339 {
            guard case .text(let text) = value else { return nil }
            return Timestamp(rfc3339: text)
        }
        switch value {
        case .integer(let count): return moment(whole: count)
        case .number(let number): return moment(fraction: number)
        case .text(let text):
            if let whole = Int64(text) { return moment(whole: whole) }
            return Double(decimal: text, allowsExponent: true).flatMap(moment(fraction:))
        }
    }

    /// Whether something can have been measured then, when it is told now.
    static func isPlausible(_ moment: Timestamp, at arrival: Timestamp) -> Bool {
        moment >= earliest && moment <= arrival.advanced(byMicroseconds: tolerance)
    }

    private func moment(whole count: Int64) -> Timestamp? {
        let (factor, divisor): (Int64, Int64) =
            switch form {
            case .s: (1_000_000, 1)
            case .ms: (1000, 1)
            case .us: (1, 1)
            case .ns, .rfc3339: (1, 1000)
            }
        let (scaled, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Timestamp(microseconds: scaled / divisor)
    }

    private func moment(fraction number: Double) -> Timestamp? {
        let milliseconds =
            switch form {
            case .s: number * 1000
            case .ms: number
            case .us: number / 1000
            case .ns, .rfc3339: number / 1_000_000
            }
        return Timestamp(milliseconds: milliseconds)
    }
}
