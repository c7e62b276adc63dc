import Foundation

/// One measured quantity over several rounds.
struct Figure {
    let name: String
    let unit: String
    let rounds: [Double]
    /// What the figure is compared with, such as a bound of this machine measured in the same run.
    let limit: String

    /// Measures at least nine rounds, and for at least half a second: the first rounds of a short
    /// operation are slow, while the processor leaves its idle state.
    static func rounds(_ body: () async throws -> Double) async rethrows -> [Double] {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .milliseconds(500))
        var rounds: [Double] = []
        repeat { rounds.append(try await body()) } while rounds.count < 9 || clock.now < end
        return rounds
    }

    var median: Double { Self.median(rounds) }

    static func median(_ rounds: [Double]) -> Double {
        let sorted = rounds.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    var line: String {
        let spread = "\(Self.text(rounds.min() ?? .nan)) – \(Self.text(rounds.max() ?? .nan))"
        return [
            name.padding(toLength: 44, withPad: " ", startingAt: 0),
            "\(Self.text(median)) \(unit)".padding(toLength: 18, withPad: " ", startingAt: 0),
            "(\(spread); \(rounds.count) rounds)"
                .padding(toLength: 36, withPad: " ", startingAt: 0), limit,
        ].joined(separator: " ")
    }

    private static func text(_ number: Double) -> String {
        let digits = number.magnitude >= 100 ? 0 : number.magnitude >= 10 ? 1 : 2
        return String(format: "%.\(digits)f", number)
    }
}

/// The seconds that `body` takes, by a monotonic clock.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    let taken = start.duration(to: clock.now).components
    return Double(taken.seconds) + Double(taken.attoseconds) / 1e18
}
