import Glibc
import Samples

/// One moment of a scenario, from which each sensor takes what it measures.
struct Moment {
    let kind: Scenario.Kind
    let noise: Noise
    /// Seconds since the scenario began; negative before.
    let elapsed: Double
    /// Microseconds since 1970: what the noise of one sample hangs on.
    let place: Int64
    /// Hours since midnight UTC, from 0 to 24.
    let hour: Double
    let route: Route

    init(_ scenario: Scenario, at time: Timestamp) {
        kind = scenario.kind
        noise = Noise(seed: scenario.seed)
        place = time.microseconds
        elapsed = Double(time.microseconds - scenario.start.microseconds) / 1e6
        let day = 86_400_000_000 as Int64
        let rest = time.microseconds % day
        hour = Double(rest < 0 ? rest + day : rest) / 3.6e9
        route = Route(kind, noise, at: elapsed)
    }

    /// In the order of the sensor's fields; `nil` for one that is not simulated.
    func values(of sensor: SensorID) -> [Value]? {
        switch sensor {
        case "accelerometer": acceleration
        case "gyroscope": turning
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

    /// The noise of this sample alone.
    func jitter(_ channel: Noise.Channel) -> Double { noise.normal(channel, place) }

    /// What wanders, from one sample to the next, over `period` seconds.
    func drift(_ channel: Noise.Channel, _ period: Double) -> Double {
        noise.drift(channel, at: elapsed, every: period)
    }
}

extension Double {
    /// The nearest multiple of what a sensor can tell apart.
    func rounded(to step: Double) -> Double {
        // Parts of one are decimal: dividing by their inverse gives the number that prints short.
        let inverse = (1 / step).rounded()
        return (self * inverse).rounded() / inverse
    }

    func clamped(_ range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
