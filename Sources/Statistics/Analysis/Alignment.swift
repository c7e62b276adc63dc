/// Which sample of another sensor belongs to each sample of one, where their times differ.
public struct Alignment: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// The one that is closest in time; the earlier of two that are equally close.
        case nearest
        /// The last that is not later.
        case last
    }

    public let method: Method
    /// The farthest that two samples may be apart, in microseconds.
    public let tolerance: Int64

    /// For each time the place of the sample that belongs to it; `nil` where none is close enough.
    ///
    /// Of samples with one time the last counts.
    /// - Parameters:
    ///   - times: microseconds, never descending; so `others`.
    public init(method: Method, tolerance: Int64) {
        self.method = method
        self.tolerance = tolerance
    }

    public func places(of times: [Int64], in others: [Int64]) -> [Int?] {
        var next = 0
        return times.map { time in
            while next < others.count, others[next] <= time { next += 1 }
            let before = next > 0 ? next - 1 : nil
            let distance = before.map { apart(others[$0], time) }
            if method == .nearest, next < others.count {
                let after = apart(time, others[next])
                if after < distance ?? .max, after <= tolerance { return lastOfEqual(next, others) }
            }
            return distance ?? .max <= tolerance && before != nil ? before : nil
        }
    }

    private func apart(_ earlier: Int64, _ later: Int64) -> Int64 {
        let (difference, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? .max : difference
    }

    private func lastOfEqual(_ place: Int, _ others: [Int64]) -> Int {
        var place = place
        while place + 1 < others.count, others[place + 1] == others[place] { place += 1 }
        return place
    }
}
