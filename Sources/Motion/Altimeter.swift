import Glibc
public import Samples

/// The altitude above the start, from air pressure.
///
/// The layer below 11 km of the U.S. Standard Atmosphere 1976 (NOAA, NASA, USAF), equation 33a
/// solved for the altitude: 288.15 K at sea level, 6.5 K less per kilometre, g₀ 9.80665 m/s², M
/// 28.9644 g/mol, R* 8.31432 J/(mol K). The result is not corrected for the weather, which amounts
/// to some metres per hour, nor for the actual temperature: at 0 °C altitudes are 5 % too large.
public struct Altimeter: DerivedSensor {
    /// The pressure at sea level in the standard atmosphere, in hPa.
    public static let standardPressure = 1013.25
    /// The plausible pressures on the ground, in hPa.
    public static let pressures = 200.0...1200.0

    /// The pressure at altitude zero, in hPa; `nil` before the first measurement.
    public private(set) var start: Double?
    /// The number of dropped samples.
    public private(set) var dropped = 0

    /// Creates an altimeter that is at zero at its first measurement.
    public init() {}

    /// Creates an altimeter.
    ///
    /// - Parameter start: the pressure at altitude zero, in hPa; if it is beyond ``pressures``, the
    ///   pressure of the first measurement is used.
    public init(start: Double) {
        self.start = Self.pressures.contains(start) ? start : nil
    }

    /// Takes a pressure in hPa.
    ///
    /// - Returns: metres above the start; `nil` for a pressure beyond ``pressures``, which is
    ///   dropped.
    public mutating func take(pressure: Double) -> Double? {
        guard Self.pressures.contains(pressure) else {
            dropped += 1
            return nil
        }
        let begin = start ?? pressure
        start = begin
        return Self.altitude(pressure) - Self.altitude(begin)
    }

    /// The altitude in metres at which the standard atmosphere has a pressure.
    ///
    /// - Parameter sea: the pressure at sea level; both pressures are in hPa.
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
