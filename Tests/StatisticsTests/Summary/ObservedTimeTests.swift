import Samples
import TestSupport
import Testing

@testable import Statistics

/// Observed time of ranges, compared with a count of every single interval.
struct ObservedTimeTests {
    private static let second: Int64 = 1_000_000

    private static func seen(_ seconds: [Double], _ windows: [(Double, Double)]) -> [Double?] {
        let times = seconds.map { Timestamp(microseconds: Int64($0 * Double(second))) }
        let ranges = windows.map { from, to in
            TimeRange(
                from: Timestamp(microseconds: Int64(from * Double(second))),
                to: Timestamp(microseconds: Int64(to * Double(second))))
        }
        let spacings = ranges.map { range in Spacing(times.filter(range.contains)) }
        return ObservedTime(spacings, in: ranges).microseconds.map {
            $0.map { Double($0) / Double(second) }
        }
    }

    private static let regular = (0..<100).map(Double.init)
    private static let everySecond = (0...50).map(Double.init)

    private static let cases: [(name: String, times: [Double], seen: Double?)] = [
        ("nothing", [], 0),
        ("one sample", [5], nil),
        ("two samples", [5, 6], nil),
        ("one moment, many times", [5, 5, 5, 5, 5, 5], nil),
        ("three samples, and 4 s behind them", [0, 1, 2], 6),
        ("every second", regular, 100),
        ("twice every second", regular.flatMap { [$0, $0] }, 100),
        ("a hole of 51 s, of which 4 s count", regular.filter { $0 < 25 || $0 >= 75 }, 53),
        ("from 20 s on, and 4 s before", regular.filter { $0 >= 20 }, 84),
        ("up to 20 s, and 4 s behind", regular.filter { $0 <= 20 }, 24),
        ("every second, then every 10, of which two count 4", everySecond + [60, 70, 80, 90], 88),
        (
            "every 10 seconds, then every second", [0, 10, 20, 30] + regular.filter { $0 >= 40 },
            100
        ),
        (
            "two at a time",
            regular.filter { $0 <= 90 }.filter { $0 / 10 == ($0 / 10).rounded() }
                .flatMap { [$0, $0 + 0.001] }, 100
        ),
        (
            "three at a time, so that the usual interval is a millisecond",
            regular.filter { $0 / 10 == ($0 / 10).rounded() }
                .flatMap { [$0, $0 + 0.001, $0 + 0.002] }, 0.06
        ),
    ]

    @Test(arguments: cases)
    func `the observed part of 100 seconds is computed from the usual interval`(
        name: String, times: [Double], seen: Double?
    ) {
        #expect(Self.seen(times, [(0, 100)]) == [seen])
    }

    @Test func `a window without a sample is observed if it lies between regular samples`() {
        let windows = (0..<10).map { (Double($0) * 5, Double($0) * 5 + 5) }
        #expect(Self.seen([0, 10, 20, 30, 40], windows) == Array(repeating: 5, count: 10))
    }

    @Test(arguments: 0..<40)
    func `an interval counts in every window that it intersects`(round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var times: [Int64] = []
        var clock = Int64.random(in: -500...500, using: &random)
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            let isLong = Int.random(in: 0..<6, using: &random) == 0
            clock += Int64.random(in: 0...(isLong ? 400 : 9), using: &random)
            times.append(clock)
        }
        let start = Int64.random(in: -600...clock, using: &random)
        let step = Int64.random(in: 1...300, using: &random)
        let windows = (0..<Int64.random(in: 1...20, using: &random)).map { index in
            TimeRange(
                from: Timestamp(microseconds: start + index * step),
                to: Timestamp(microseconds: start + (index + 1) * step))
        }
        let unknown = Set(
            (0..<Int.random(in: 0...2, using: &random)).map { _ in
                Int.random(in: 0..<windows.count, using: &random)
            })
        let spacings = windows.map { window in
            Spacing(times.map(Timestamp.init(microseconds:)).filter(window.contains))
        }
        let found = ObservedTime(spacings, unknown: unknown, in: windows).microseconds
        #expect(
            found == Self.plain(times, unknown, windows),
            "seed \(seed), \(times), \(windows.map(\.from.microseconds)), \(unknown)")
    }

    /// The same, microsecond by microsecond.
    private static func plain(
        _ times: [Int64], _ unknown: Set<Int>, _ windows: [TimeRange]
    ) -> [Int64?] {
        var seen: [Int64?] = windows.map { _ in nil }
        let ends = unknown.sorted() + [windows.count]
        var start = 0
        for end in ends {
            defer { start = end + 1 }
            guard start < end else { continue }
            let (from, to) = (windows[start].from.microseconds, windows[end - 1].to.microseconds)
            let moments = Set(times.filter { (from..<to).contains($0) }).sorted()
            let intervals = zip(moments.dropFirst(), moments).map { $0 - $1 }
            guard intervals.count != 1, moments.count != 1 else { continue }
            var stretches: [Range<Int64>] = []
            if let first = moments.first, let last = moments.last {
                let usual = intervals.prefix(4).sorted().dropLast().last ?? 0
                stretches.append(first - 4 * usual..<first)
                for (index, interval) in (intervals + [.max]).enumerated() {
                    let own = index < 4 ? usual : intervals[index - 4..<index].sorted()[2]
                    let moment = index < intervals.count ? moments[index] : last
                    stretches.append(moment..<moment + min(interval, 4 * own))
                }
            }
            for index in start..<end {
                let window = windows[index].from.microseconds..<windows[index].to.microseconds
                seen[index] = stretches.reduce(0) { sum, stretch in
                    sum + Int64(stretch.clamped(to: window).count)
                }
            }
        }
        return seen
    }

    @Test(arguments: 0..<40)
    func `the result does not depend on where a sequence is cut`(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var clock: Int64 = 0
        let times = (0..<Int.random(in: 1...50, using: &random)).map { _ in
            clock += Int64.random(
                in: 0...(Int.random(in: 0..<5, using: &random) == 0 ? 900 : 9), using: &random)
            return Timestamp(microseconds: clock)
        }
        let whole = try #require(Spacing(times))
        var pieces: [Spacing] = []
        var rest = times[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...12, using: &random))
            rest = rest.dropFirst(piece.count)
            pieces.append(try #require(Spacing(piece)))
        }
        while pieces.count > 1 {
            let index = Int.random(in: 0..<pieces.count - 1, using: &random)
            let next = pieces.remove(at: index + 1)
            if Bool.random(using: &random) {
                pieces[index].merge(next)
            } else {
                var turned = next
                turned.merge(pieces[index])
                pieces[index] = turned
            }
        }
        #expect(pieces == [whole], "seed \(seed)")
    }

    @Test func `the first and last timestamps do not trap`() {
        let times = [Int64.min, .min + 1, -1, 0, 5, .max - 1, .max].map(
            Timestamp.init(microseconds:))
        let spacing = Spacing(times)
        let seen = ObservedTime([spacing], in: [.all]).microseconds
        #expect(seen.allSatisfy { ($0 ?? -1) >= 0 })
    }
}
