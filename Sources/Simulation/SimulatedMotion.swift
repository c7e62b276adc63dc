import Glibc
import Samples

/// The motion on a circle with a speed that oscillates about its mean.
///
/// Speed and acceleration are the derivatives of the distance travelled, and the angular velocity is
/// that of the heading, so that the sensors agree.
struct Trajectory {
    /// Metres per second, and metres per second squared in the direction of motion.
    let speed: Double
    let acceleration: Double
    /// Metres per second squared; the centre is on the left.
    let centripetalAcceleration: Double
    /// Radians per second, to the left.
    let angularVelocity: Double
    /// Degrees from north, clockwise, from 0 to 360.
    let heading: Double
    /// Metres from the centre.
    let east: Double
    let north: Double

    /// Mean speed in m/s, radius in metres, amplitude relative to the mean speed, period in
    /// seconds.
    private static func shape(
        _ kind: Scenario.Kind
    ) -> (speed: Double, radius: Double, amplitude: Double, period: Double)? {
        switch kind {
        case .walk: (1.4, 250, 0.1, 37)
        case .ride: (5, 900, 0.3, 61)
        case .drive: (13, 2500, 0.6, 95)
        case .still, .batteryDay, .room, .vibration: nil
        }
    }

    init(_ kind: Scenario.Kind, _ noise: Noise, at time: Double) {
        let first = 2 * Double.pi * noise.unit(.heading, 0)
        guard let shape = Self.shape(kind) else {
            (speed, acceleration, centripetalAcceleration) = (0, 0, 0)
            (angularVelocity, east, north) = (0, 0, 0)
            heading = first * 180 / .pi
            return
        }
        // There is no motion before the scenario begins.
        let time = max(0, time)
        let rate = 2 * Double.pi / shape.period
        let distance = shape.speed * (time + shape.amplitude / rate * (1 - cos(rate * time)))
        speed = shape.speed * (1 + shape.amplitude * sin(rate * time))
        acceleration = shape.speed * shape.amplitude * rate * cos(rate * time)
        centripetalAcceleration = speed * speed / shape.radius
        angularVelocity = speed / shape.radius
        let angle = first + distance / shape.radius
        east = shape.radius * cos(angle)
        north = shape.radius * sin(angle)
        let degrees = (-angle * 180 / .pi).truncatingRemainder(dividingBy: 360)
        heading = degrees < 0 ? degrees + 360 : degrees
    }
}

/// The motion sensors. Axes are relative to the case: x to the right, y ahead, z up.
extension Moment {
    /// Metres per second squared.
    private static let gravity = 9.80665
    /// The magnetic field in central Europe, horizontal and down, in microtesla.
    private static let field = (ahead: 21.6, down: 43.2)
    /// The rotation frequency of the simulated engine, in Hz.
    private static let engine = 24.6

    /// Steps per second on foot, pedal revolutions per second on a bicycle.
    private var pace: Double {
        let base = kind == .walk ? 1.85 : 1.2
        return base + 0.1 * (noise.unit(.phase, 1) - 0.5)
    }

    private func wave(_ frequency: Double, _ shift: Double = 0) -> Double {
        sin(2 * .pi * (frequency * elapsed + noise.unit(.phase, 2)) + shift)
    }

    var acceleration: [Value] {
        var (x, y, z) = (
            -trajectory.centripetalAcceleration, trajectory.acceleration, Self.gravity
        )
        let noiseLevel: Double
        switch kind {
        case .walk:
            z += 2.4 * wave(pace) + 0.7 * wave(2 * pace, 0.6)
            y += 1.1 * wave(pace, 1.3)
            x += 0.8 * wave(pace / 2, 0.4)
            noiseLevel = 0.15
        case .ride:
            x += 0.5 * wave(pace, 0.2)
            z += 0.4 * wave(2 * pace)
            noiseLevel = 0.7
        case .drive:
            noiseLevel = 0.2
        case .vibration:
            z += 1.6 * wave(Self.engine) + 0.5 * wave(2 * Self.engine, 0.9)
            x += 0.7 * wave(Self.engine, 1.1)
            noiseLevel = 0.08
        case .still, .batteryDay, .room:
            noiseLevel = 0.02
        }
        x += noiseLevel * jitter(.accelerationX)
        y += noiseLevel * jitter(.accelerationY)
        z += noiseLevel * jitter(.accelerationZ)
        return vector(x, y, z, to: 0.001)
    }

    var angularVelocity: [Value] {
        var (x, y, z) = (0.0, 0.0, trajectory.angularVelocity)
        let noiseLevel: Double
        switch kind {
        case .walk:
            y += 0.35 * wave(pace / 2)
            x += 0.2 * wave(pace, 0.8)
            noiseLevel = 0.02
        case .ride:
            y += 0.15 * wave(pace)
            noiseLevel = 0.04
        case .drive: noiseLevel = 0.01
        case .vibration:
            x += 0.05 * wave(Self.engine, 0.5)
            noiseLevel = 0.005
        case .still, .batteryDay, .room: noiseLevel = 0.002
        }
        x += noiseLevel * jitter(.angularVelocityX)
        y += noiseLevel * jitter(.angularVelocityY)
        z += noiseLevel * jitter(.angularVelocityZ)
        return vector(x, y, z, to: 0.0001)
    }

    var magneticField: [Value] {
        let angle = trajectory.heading * .pi / 180
        return vector(
            -Self.field.ahead * sin(angle) + 0.2 * jitter(.fieldX),
            Self.field.ahead * cos(angle) + 0.2 * jitter(.fieldY),
            -Self.field.down + 0.2 * jitter(.fieldZ), to: 0.01)
    }

    /// Latitude, longitude, altitude, accuracy, speed and heading; near Zürich.
    var location: [Value] {
        let metres = 111_320.0
        let (latitude, longitude) = (47.3769, 8.5417)
        let accuracy = 4 + abs(drift(.accuracy, 30))
        let north = trajectory.north + 0.4 * accuracy * drift(.north, 20)
        let east = trajectory.east + 0.4 * accuracy * drift(.east, 20)
        return [
            .number((latitude + north / metres).rounded(to: 1e-7)),
            .number((longitude + east / metres / cos(latitude * .pi / 180)).rounded(to: 1e-7)),
            .number((408 + 2 * drift(.altitude, 60)).rounded(to: 0.1)),
            .number(accuracy.rounded(to: 0.1)),
            .number(trajectory.speed.rounded(to: 0.01)),
            .number(trajectory.heading.rounded(to: 0.1)),
        ]
    }

    /// Steps since the scenario began; only for `walk`.
    var steps: Int64 {
        kind == .walk && elapsed > 0 ? Int64(pace * elapsed) : 0
    }

    private func vector(_ x: Double, _ y: Double, _ z: Double, to step: Double) -> [Value] {
        [x, y, z].map { .number($0.rounded(to: step)) }
    }
}
