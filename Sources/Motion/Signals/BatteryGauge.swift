/// The charge of a battery from the reading of a converter behind a divider of its voltage.
public struct BatteryGauge: Hashable, Sendable, Codable {
    /// The reading at the highest voltage: 4095 of 12 bits.
    public var fullScale = 4095.0
    /// How many times the divider makes the voltage smaller.
    public var divider = 2.0
    /// Volts at full scale.
    public var reference = 3.3
    /// What the converter reads too little: 1.1 for that of an ESP32.
    public var correction = 1.1
    /// Volts that count as full.
    public var fullVoltage = 4.3

    public init() {}

    /// Percent, held to 0 to 100: reading / 4095 · 2 · 3.3 · 1.1 · 100 / 4.3.
    ///
    /// - Returns: `nil` when the result is no number, as with a scale of zero.
    public func percent(_ reading: Double) -> Double? {
        let volts = reading / fullScale * divider * reference * correction
        let percent = volts * 100 / fullVoltage
        return percent.isNaN ? nil : min(max(percent, 0), 100)
    }
}
