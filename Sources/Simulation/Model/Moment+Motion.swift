import Glibc
import Samples

/// The sensors of motion. The axes are the case's: x to the right, y ahead, z up.
extension Moment {
    /// Metres a second squared.
    private static let gravity = 9.80665
    /// Microtesla of the earth's field in central Europe, along the ground and down.
    private static let field = (ahead: 21.6, down: 43.2)
    private static let engine = 24.6

    /// Steps a second on foot, turns of the pedals a second on a bicycle.
    private var pace: Double {
        let base = kind == .walk ? 1.85 : 1.2
        return base + 0.1 * (noise.unit(.phase, 1) - 0.5)
    }

    private func wave(_ frequency: Double, _ shift: Double = 0) -> Double {
        sin(2 * .pi * (frequency * elapsed + noise.unit(.phase, 2)) + shift)
    }

    var acceleration: [Value] {
        var (x, y, z) = (-route.towardsCentre, route.acceleration, Self.gravity)
        let rough: Double
        switch kind {
        case .walk:
            z += 2.4 * wave(pace) + 0.7 * wave(2 * pace, 0.6)
            y += 1.1 * wave(pace, 1.3)
            x += 0.8 * wave(pace / 2, 0.4)
            rough = 0.15
        case .ride:
            x += 0.5 * wave(pace, 0.2)
            z += 0.4 * wave(2 * pace)
            rough = 0.7
        case .drive:
            rough = 0.2
        case .vibration:
            z += 1.6 * wave(Self.engine) + 0.5 * wave(2 * Self.engine, 0.9)
            x += 0.7 * wave(Self.engine, 1.1)
            rough = 0.08
        case .still, .batteryDay, .room:
            rough = 0.02
        }
        x += rough * jitter(.accelerationX)
        y += rough * jitter(.accelerationY)
        z += rough * jitter(.accelerationZ)
        return vector(x, y, z, to: 0.001)
    }

    var turning: [Value] {
        var (x, y, z) = (0.0, 0.0, route.turning)
        let rough: Double
        switch kind {
        case .walk:
            y += 0.35 * wave(pace / 2)
            x += 0.2 * wave(pace, 0.8)
            rough = 0.02
        case .ride:
            y += 0.15 * wave(pace)
            rough = 0.04
        case .drive: rough = 0.01
        case .vibration:
            x += 0.05 * wave(Self.engine, 0.5)
            rough = 0.005
        case .still, .batteryDay, .room: rough = 0.002
        }
        x += rough * jitter(.turningX)
        y += rough * jitter(.turningY)
        z += rough * jitter(.turningZ)
        return vector(x, y, z, to: 0.0001)
    }

    var magneticField: [Value] {
        let angle = route.heading * .pi / 180
        return vector(
            -Self.field.ahead * sin(angle) + 0.2 * jitter(.fieldX),
            Self.field.ahead * cos(angle) + 0.2 * jitter(.fieldY),
            -Self.field.down + 0.2 * jitter(.fieldZ), to: 0.01)
    }

    /// Latitude, longitude, altitude, accuracy, speed and heading; about Zürich.
    var location: [Value] {
        let metres = 111_320.0
        let (latitude, longitude) = (47.3769, 8.5417)
        let accuracy = 4 + abs(drift(.accuracy, 30))
        let north = route.north + 0.4 * accuracy * drift(.north, 20)
        let east = route.east + 0.4 * accuracy * drift(.east, 20)
        return [
            .number((latitude + north / metres).rounded(to: 1e-7)),
            .number((longitude + east / metres / cos(latitude * .pi / 180)).rounded(to: 1e-7)),
            .number((408 + 2 * drift(.altitude, 60)).rounded(to: 0.1)),
            .number(accuracy.rounded(to: 0.1)),
            .number(route.speed.rounded(to: 0.01)),
            .number(route.heading.rounded(to: 0.1)),
        ]
    }

    /// Since the scenario began; only feet make steps.
    var steps: Int64 {
        kind == .walk && elapsed > 0 ? Int64(pace * elapsed) : 0
    }

    private func vector(_ x: Double, _ y: Double, _ z: Double, to step: Double) -> [Value] {
        [x, y, z].map { .number($0.rounded(to: step)) }
    }
}
