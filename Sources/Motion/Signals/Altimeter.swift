import Glibc
public import Samples

/// Height above where it began, from the pressure of the air.
///
/// The layer below 11 km of the U.S. Standard Atmosphere 1976 (NOAA, NASA, USAF), equation 33a solved
/// for the height: 288.15 K at sea level, 6.5 K less each kilometre, g₀ 9.80665 m/s², M 28.9644 g/mol,
/// R* 8.31432 J/(mol K). Weather changes the pressure too, by some metres an hour; nothing is done
/// about that, nor about the real temperature: at 0 °C heights come out 5 % too large.
public struct Altimeter: DerivedSensor {
    /// hPa at sea level in the standard atmosphere.
    public static let standardPressure = 1013.25
    /// What air on the ground has, with some room; in hPa.
    public static let pressures = 200.0...1200.0

    /// The pressure from which heights count, in hPa; `nil` before the first measurement.
    public private(set) var start: Double?
    public private(set) var dropped = 0

    public init() {}

    /// - Parameter start: the pressure from which heights count, in hPa; the first measurement's
    ///   where it is not one of ``pressures``.
    public init(start: Double) {
        self.start = Self.pressures.contains(start) ? start : nil
    }

    /// Metres above where it began.
    ///
    /// - Parameter pressure: hPa.
    /// - Returns: `nil` for a pressure that is not one of ``pressures``, which is counted as dropped.
    public mutating func take(pressure: Double) -> Double? {
        guard Self.pressures.contains(pressure) else {
            dropped += 1
            return nil
        }
        let begin = start ?? pressure
        start = begin
        return Self.altitude(pressure) - Self.altitude(begin)
    }

    /// Metres above sea level at which the standard atmosphere has this pressure.
    ///
    /// - Parameter sea: the pressure at sea level, in hPa like the other.
    public static func altitude(_ pressure: Double, sea: Double = standardPressure) -> Double {
        let exponent = 8.31432 * 0.0065 / (9.80665 * 0.0289644)
        return 288.15 / 0.0065 * (1 - pow(pressure / sea, exponent))
    }
}

extension Altimeter {
    public static let inputs = [Field("pressure", unit: "hPa")]
    public static let outputs = [Field("altitude", unit: "m")]

    public mutating func take(_ sample: Sample) -> Sample? {
        guard let numbers = sample.numbers(1) else {
            dropped += 1
            return nil
        }
        return take(pressure: numbers[0]).map { Sample(time: sample.time, values: [.number($0)]) }
    }
}
