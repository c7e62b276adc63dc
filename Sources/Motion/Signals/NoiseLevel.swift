import Glibc
public import Samples

/// How loud it is: the level of sound in windows of equal length.
///
/// The equivalent continuous level of IEC 61672-1: ten times the logarithm of the mean square. Levels
/// are dBFS as AES17 has them: a sine at full scale is 0 dB, so that a square wave reaches +3. What
/// the level is in the room only a calibration tells: `calibration` is added to it. Silence is −200.
public struct NoiseLevel: Sendable {
    /// How frequencies count.
    public enum Weighting: String, Hashable, Sendable, CaseIterable, Codable {
        /// All alike: Z.
        case flat = "Z"
        /// As ears hear them: A, by ``AWeighting``.
        case ears = "A"
    }

    /// A window's level.
    public struct Reading: Hashable, Sendable {
        /// When the window ended.
        public let time: Timestamp
        /// The level over the whole window, in dB.
        public let equivalent: Double
        /// The level of its loudest eighth of a second, in dB.
        public let maximum: Double
    }

    public static let silence = -200.0
    private let window: Int
    private let eighth: Int
    private let rate: Double
    private let calibration: Double
    private var filter: AWeighting?
    private var (sum, count) = (0.0, 0)
    private var (part, partCount, loudest) = (0.0, 0, 0.0)
    /// How many samples were dropped because they are not finite.
    public private(set) var dropped = 0

    /// - Parameters:
    ///   - rate: samples a second, 4000 to 1 000 000.
    ///   - window: how long one is; from an eighth of a second to an hour.
    ///   - calibration: dB from full scale to what was measured beside it.
    /// - Returns: `nil` beyond these ranges.
    public init?(
        rate: Double, weighting: Weighting = .ears, window: Duration = .seconds(1),
        calibration: Double = 0
    ) {
        guard let filter = AWeighting(rate: rate), calibration.isFinite,
            window >= .milliseconds(125), window <= .seconds(3600)
        else { return nil }
        self.filter = weighting == .ears ? filter : nil
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
    /// - Returns: the windows that end in it.
    public mutating func take(_ samples: some Sequence<Double>, from start: Timestamp) -> [Reading]
    {
        var readings: [Reading] = []
        var place = 0.0
        for sample in samples {
            place += 1
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
            let time = start.advanced(byMicroseconds: Int64(place / rate * 1_000_000))
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
