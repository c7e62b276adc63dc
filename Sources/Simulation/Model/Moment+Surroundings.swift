import Glibc

/// What is around the machine.
extension Moment {
    private var isOutside: Bool { kind == .walk || kind == .ride }

    /// From −1 at three in the morning to 1 at three in the afternoon.
    private var warmth: Double { sin(2 * .pi * (hour - 9) / 24) }

    /// From 0 by night to 1 at one in the afternoon.
    private var daylight: Double { max(0, sin(.pi * (hour - 6) / 14)) }

    /// Degrees Celsius.
    var temperature: Double {
        let base = isOutside ? 14 + 5 * warmth : 21 + 1.8 * warmth
        return base + 0.3 * drift(.temperature, 600) + 0.02 * jitter(.temperature)
    }

    /// Percent; the warmer, the drier.
    var humidity: Double {
        let base = isOutside ? 62 - 12 * warmth : 45 - 4 * warmth
        return (base + 2 * drift(.humidity, 1800) + 0.2 * jitter(.humidity)).clamped(0...100)
    }

    /// Hectopascal.
    var airPressure: Double { 968 + 4 * drift(.pressure, 21_600) + 0.03 * jitter(.pressure) }

    /// Lux.
    var illuminance: Double {
        let full: Double =
            switch kind {
            case .walk, .ride: 20_000
            case .drive: 3000
            default: 500
            }
        let clouds = (1 + 0.25 * drift(.light, 300)).clamped(0.2...1.6)
        let lamp = !isOutside && (17.5..<23).contains(hour) ? 150.0 : 0
        return max(0, full * daylight * clouds + lamp + 0.5 * jitter(.light))
    }

    /// Decibel.
    var soundLevel: Double {
        let base: Double =
            switch kind {
            case .still, .batteryDay, .room: 32
            case .walk: 55
            case .ride, .drive: 67
            case .vibration: 74
            }
        return max(20, base + 4 * drift(.noise, 30) + 1.5 * jitter(.noise))
    }
}
