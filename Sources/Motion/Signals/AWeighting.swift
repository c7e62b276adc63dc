import Glibc

/// Sound as loud as ears hear it: the A weighting of IEC 61672-1.
///
/// The analogue filter of annex E of that standard (poles at 20.6, 107.7, 737.9 and 12 194 Hz, twice
/// the first and the last), brought to samples by the bilinear transform. Near half the rate it falls
/// off faster than the standard: at 48 kHz it is within class 1 up to about 10 kHz.
public struct AWeighting: Sendable {
    /// A first-order or second-order section: y = b₀x + b₁x₁ + b₂x₂ − a₁y₁ − a₂y₂.
    private struct Section: Sendable {
        let b: (Double, Double, Double)
        let a: (Double, Double)
        var first = 0.0
        var second = 0.0

        mutating func callAsFunction(_ x: Double) -> Double {
            let y = b.0 * x + first
            first = b.1 * x - a.0 * y + second
            second = b.2 * x - a.1 * y
            return y
        }
    }

    private var sections: [Section]
    private let gain: Double

    /// - Parameter rate: samples a second.
    /// - Returns: `nil` below 4000 and above 1 000 000.
    public init?(rate: Double) {
        guard (4000...1_000_000).contains(rate) else { return nil }
        // s² over two poles, s² over two poles, and two poles alone.
        let sections = [
            Self.highPass(20.598997, 20.598997, rate), Self.highPass(107.65265, 737.86223, rate),
            Self.lowPass(12194.217, 12194.217, rate),
        ]
        self.sections = sections
        let at1000 = sections.reduce(1.0) { $0 * Self.magnitude($1, 1000, rate) }
        gain = 1 / at1000
    }

    /// The weighted sample.
    public mutating func callAsFunction(_ sample: Double) -> Double {
        var value = sample * gain
        for place in sections.indices { value = sections[place](value) }
        return value
    }

    private static func highPass(_ f1: Double, _ f2: Double, _ rate: Double) -> Section {
        let (k, w1, w2) = (2 * rate, 2 * Double.pi * f1, 2 * Double.pi * f2)
        let (n1, n2) = (k + w1, k + w2)
        let (p1, p2) = ((k - w1) / n1, (k - w2) / n2)
        let scale = k * k / (n1 * n2)
        return Section(b: (scale, -2 * scale, scale), a: (-(p1 + p2), p1 * p2))
    }

    private static func lowPass(_ f1: Double, _ f2: Double, _ rate: Double) -> Section {
        let (k, w1, w2) = (2 * rate, 2 * Double.pi * f1, 2 * Double.pi * f2)
        let (n1, n2) = (k + w1, k + w2)
        let (p1, p2) = ((k - w1) / n1, (k - w2) / n2)
        let scale = w1 * w2 / (n1 * n2)
        return Section(b: (scale, 2 * scale, scale), a: (-(p1 + p2), p1 * p2))
    }

    /// |H| at a frequency.
    private static func magnitude(_ section: Section, _ hertz: Double, _ rate: Double) -> Double {
        let angle = 2 * Double.pi * hertz / rate
        func size(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
            let real = c0 + c1 * cos(angle) + c2 * cos(2 * angle)
            let imaginary = c1 * sin(angle) + c2 * sin(2 * angle)
            return (real * real + imaginary * imaginary).squareRoot()
        }
        return size(section.b.0, section.b.1, section.b.2)
            / size(1, section.a.0, section.a.1)
    }
}
