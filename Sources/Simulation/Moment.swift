import Glibc
import Samples

/// One moment of a scenario, with the values of each sensor.
struct Moment {
    let kind: Scenario.Kind
    let noise: Noise
    /// Seconds since the scenario began; negative before.
    let elapsed: Double
    /// Microseconds since 1970, which select the noise of one sample.
    let position: Int64
    /// Hours since midnight UTC, from 0 to 24.
    let hour: Double
    let trajectory: Trajectory

    init(_ scenario: Scenario, at time: Timestamp) {
        kind = scenario.kind
        noise = Noise(seed: scenario.seed)
        position = time.microseconds
        elapsed = Double(time.microseconds - scenario.start.microseconds) / 1e6
        let day = 86_400_000_000 as Int64
        let rest = time.microseconds % day
        hour = Double(rest < 0 ? rest + day : rest) / 3.6e9
        trajectory = Trajectory(kind, noise, at: elapsed)
    }

    /// The values of a sensor, in the order of its fields; `nil` for a sensor that is not
    /// simulated.
    func values(of sensor: SensorID) -> [Value]? {
        switch sensor {
        case "accelerometer": acceleration
        case "gyroscope": angularVelocity
        case "magnetometer": magneticField
        case "location": location
        case "steps": [.integer(steps)]
        case "battery": battery
        case "temperature": [.number(temperature.rounded(to: 0.01))]
        case "humidity": [.number(humidity.rounded(to: 0.1))]
        case "barometer": [.number(airPressure.rounded(to: 0.01))]
        case "light": [.number(illuminance.rounded(to: 0.1))]
        case "noise": [.number(soundLevel.rounded(to: 0.1))]
        case "cpu": processor
        case "load": load
        case "memory": memory
        default: nil
        }
    }

    /// Noise that is independent of other samples.
    func jitter(_ channel: Noise.Channel) -> Double { noise.normal(channel, position) }

    /// Noise that changes slowly, over `period` seconds.
    func drift(_ channel: Noise.Channel, _ period: Double) -> Double {
        noise.drift(channel, at: elapsed, every: period)
    }
}

extension Double {
    /// The nearest multiple of the resolution of a sensor.
    func rounded(to step: Double) -> Double {
        // Resolutions below one are decimal: dividing by their inverse gives numbers with few
        // digits.
        let inverse = (1 / step).rounded()
        return (self * inverse).rounded() / inverse
    }

    func clamped(_ range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// The sensors of the machine itself.
extension Moment {
    /// Level, state, voltage and power.
    var battery: [Value] {
        let (level, state) = kind == .batteryDay ? dayOfBattery : draining
        let power: Double =
            switch state {
            case "charging": 35
            case "full": 0
            default: 7 + 1.5 * drift(.power, 60)
            }
        return [
            .number(level.rounded()), .text(state),
            .number((3.4 + 0.008 * level).rounded(to: 0.001)),
            .number(max(0, power).rounded(to: 0.01)),
        ]
    }

    /// Discharges by six percent per hour, from a random level.
    private var draining: (Double, String) {
        let first = 60 + 30 * noise.unit(.charge, 0)
        return (max(5, first - 6 * max(0, elapsed) / 3600), "discharging")
    }

    /// Charges from 23:00 until it is full, and discharges from 7:00.
    private var dayOfBattery: (Double, String) {
        let (rate, least) = (37.0, 18.0)
        switch hour {
        case 23...: return (least + rate * (hour - 23), "charging")
        case ..<7:
            let level = least + rate * (hour + 1)
            return level < 100 ? (level, "charging") : (100, "full")
        default:
            let used = (hour - 7) / 16
            let busier = 3 * sin(2 * .pi * used) * (0.5 + 0.5 * noise.unit(.charge, 1))
            return (100 - (100 - least) * used + busier, "discharging")
        }
    }

    /// The load of two cores and their mean.
    var processor: [Value] {
        let busy = (14 + 9 * drift(.processor, 15) + 2 * jitter(.processor)).clamped(0...100)
        let apart = min(busy, 100 - busy, 3 * abs(jitter(.core)))
        let cores = [busy + apart, busy - apart].map { $0.rounded(to: 0.01) }
        return ([(cores[0] + cores[1]) / 2] + cores).map { .number($0.rounded(to: 0.001)) }
    }

    var load: [Value] {
        let base = 0.6
        let values = [(60.0, 0.25), (300, 0.12), (900, 0.06)].map { period, width in
            Value.number(max(0, base + width * drift(.load, period)).rounded(to: 0.01))
        }
        let runnable = 1 + Int64(3 * noise.unit(.processes, position))
        return values + [.integer(runnable), .integer(312 + Int64(4 * drift(.processes, 120)))]
    }

    /// 16 GiB with about 40 % in use.
    var memory: [Value] {
        let total: Int64 = 16 << 30
        let page: Double = 4096
        let share = (0.4 + 0.04 * drift(.memory, 180) + 0.002 * jitter(.memory)).clamped(0.1...0.9)
        let used = Int64((share * Double(total) / page).rounded() * page)
        let available = total - used
        let (free, buffers) = (available / 8192 * 4096, 256 << 20 as Int64)
        let cached = available - free - buffers
        let counted = [total, available, free, buffers, cached, 2 << 30, 2 << 30, used]
        let percent = 100 * Double(used) / Double(total)
        return counted.map(Value.integer) + [.number(percent)]
    }
}

/// The sensors of the environment.
extension Moment {
    private var isOutside: Bool { kind == .walk || kind == .ride }

    /// From −1 at 3:00 to 1 at 15:00.
    private var warmth: Double { sin(2 * .pi * (hour - 9) / 24) }

    /// From 0 at night to 1 at 13:00.
    private var daylight: Double { max(0, sin(.pi * (hour - 6) / 14)) }

    /// Degrees Celsius.
    var temperature: Double {
        let base = isOutside ? 14 + 5 * warmth : 21 + 1.8 * warmth
        return base + 0.3 * drift(.temperature, 600) + 0.02 * jitter(.temperature)
    }

    /// Percent; it falls as the temperature rises.
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
