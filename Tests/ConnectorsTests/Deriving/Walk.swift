import Foundation
import Samples
import TestSupport

/// Simulated acceleration of walking and resting, with noise on each axis.
struct Walk {
    static let start: Int64 = 1_700_000_000_000_000
    private static let rate = 25.0

    private(set) var second = 0.0
    private var random: SplitMix
    private let deviation: Double

    /// - Parameter deviation: of the noise, in m/s².
    init(seed: UInt64, deviation: Double = 0.3) {
        random = SplitMix(state: seed)
        self.deviation = deviation
    }

    /// - Parameter cadence: steps per second; 0 to rest.
    mutating func next(seconds: Double, cadence: Double) -> [Sample] {
        var samples: [Sample] = []
        let begin = second
        while second < begin + seconds {
            let angle = 2 * Double.pi * cadence * (second - begin)
            let up = cadence > 0 ? 2.2 * cos(angle) + 0.7 * cos(2 * angle + 1) : 0
            let ahead = cadence > 0 ? sin(angle) : 0
            let axes = [ahead, 0, 9.81 + up].map { $0 + deviation * noise() }
            let time = Timestamp(microseconds: Self.start + Int64(second * 1e6))
            samples.append(Sample(time: time, values: axes.map { .number($0) }))
            second += 1 / Self.rate
        }
        return samples
    }

    /// Approximately normal noise with a standard deviation of one.
    private mutating func noise() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &random) }
    }
}
