import Glibc
public import Samples

/// The noise level for each second of sound, at any rate of at least 4000 samples per second.
///
/// The first 32 samples determine the rate. Levels are A-weighted and relative to full scale: see
/// ``NoiseLevel``.
public struct NoiseMeter: Sendable {
    /// The number of dropped samples.
    public private(set) var dropped = 0
    private var rate = SampleRate()
    private var level: NoiseLevel?

    /// Creates a meter.
    public init() {}
}

extension NoiseMeter: DerivedSensor {
    /// −1 to 1 at full scale.
    public static let inputs = [Field("sound", unit: "1")]
    /// The level of the window, and the level of its loudest eighth of a second.
    public static let outputs = [Field("level", unit: "dB"), Field("maximum", unit: "dB")]

    public mutating func take(_ sample: Sample) -> Sample? {
        guard let sound = sample.numbers(1)?.first else {
            dropped += 1
            return nil
        }
        if rate.take(sample.time), let perSecond = rate.perSecond {
            level = NoiseLevel(rate: perSecond)
        }
        return level?.take(CollectionOfOne(sound), from: sample.time).last.map {
            Sample(time: $0.time, values: [.number($0.equivalent), .number($0.maximum)])
        }
    }
}

/// The level of sound in windows of equal length.
///
/// The equivalent continuous level of IEC 61672-1: ten times the logarithm of the mean square.
/// Levels are dBFS as in AES17: a sine at full scale has 0 dB, a square wave +3 dB. The sound
/// pressure level needs a calibration, which is added. Silence is −200 dB.
public struct NoiseLevel: Sendable {
    /// The weighting of frequencies.
    public enum Weighting: String, Hashable, Sendable, CaseIterable, Codable {
        /// Z: none.
        case z = "Z"
        /// A: the sensitivity of human hearing; see ``AWeighting``.
        case a = "A"
    }

    /// The level of a window.
    public struct Reading: Hashable, Sendable {
        /// When the window ended.
        public let time: Timestamp
        /// The level over the whole window, in dB.
        public let equivalent: Double
        /// The level of its loudest eighth of a second, in dB.
        public let maximum: Double
    }

    /// The level of silence, in dB.
    public static let silence = -200.0
    private let window: Int
    private let eighth: Int
    private let rate: Double
    private let calibration: Double
    private var filter: AWeighting?
    private var (sum, count) = (0.0, 0)
    private var (part, partCount, loudest) = (0.0, 0, 0.0)
    /// How many samples were dropped because they were not finite.
    public private(set) var dropped = 0

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - rate: samples per second, 4000 to 1 000 000.
    ///   - window: from an eighth of a second to an hour.
    ///   - calibration: the sound pressure level of full scale, in dB.
    /// - Returns: `nil` beyond these ranges.
    public init?(
        rate: Double, weighting: Weighting = .a, window: Duration = .seconds(1),
        calibration: Double = 0
    ) {
        guard let filter = AWeighting(rate: rate), calibration.isFinite,
            window >= .milliseconds(125), window <= .seconds(3600)
        else { return nil }
        self.filter = weighting == .a ? filter : nil
        self.rate = rate
        self.calibration = calibration
        self.window = Int((Double(window.wholeMicroseconds) / 1_000_000 * rate).rounded())
        eighth = max(1, Int((rate / 8).rounded()))
    }

    /// Takes sound.
    ///
    /// - Parameters:
    ///   - samples: −1 to 1 at full scale.
    ///   - start: when the first of them was recorded.
    /// - Returns: the windows that are complete now.
    public mutating func take(_ samples: some Sequence<Double>, from start: Timestamp) -> [Reading]
    {
        var readings: [Reading] = []
        var position = 0.0
        for sample in samples {
            position += 1
            guard sample.isFinite else {
                dropped += 1
                continue
            }
            let value = filter?(sample) ?? sample
            sum += value * value
            part += value * value
            (count, partCount) = (count + 1, partCount + 1)
            if partCount == eighth { closePart() }
            guard count == window else { continue }
            if partCount > eighth / 2 { closePart() }
            let time = start.advanced(byMicroseconds: Int64(position / rate * 1_000_000))
            readings.append(
                Reading(
                    time: time, equivalent: level(sum / Double(count)), maximum: level(loudest)))
            (sum, count, part, partCount, loudest) = (0, 0, 0, 0, 0)
        }
        return readings
    }

    private mutating func closePart() {
        loudest = max(loudest, part / Double(partCount))
        (part, partCount) = (0, 0)
    }

    /// A sine at full scale has a mean square of a half.
    private func level(_ meanSquare: Double) -> Double {
        guard meanSquare > 0 else { return Self.silence + calibration }
        return max(Self.silence, 10 * log10(2 * meanSquare)) + calibration
    }
}

/// The A-weighting filter of IEC 61672-1.
///
/// The analogue filter of annex E of that standard (poles at 20.6, 107.7, 737.9 and 12 194 Hz, the
/// first and last twice) after the bilinear transform. Near half the rate it falls off faster than
/// the standard: at 48 kHz it meets class 1 up to about 10 kHz.
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

    /// Creates a filter.
    ///
    /// - Parameter rate: samples per second.
    /// - Returns: `nil` below 4000 and above 1 000 000.
    public init?(rate: Double) {
        guard (4000...1_000_000).contains(rate) else { return nil }
        // Two high-pass sections and a low-pass section of two poles each.
        let sections = [
            Self.highPass(20.598997, 20.598997, rate), Self.highPass(107.65265, 737.86223, rate),
            Self.lowPass(12194.217, 12194.217, rate),
        ]
        self.sections = sections
        let at1000 = sections.reduce(1.0) { $0 * Self.magnitude($1, 1000, rate) }
        gain = 1 / at1000
    }

    /// Filters the next sample.
    public mutating func callAsFunction(_ sample: Double) -> Double {
        var value = sample * gain
        for index in sections.indices { value = sections[index](value) }
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
