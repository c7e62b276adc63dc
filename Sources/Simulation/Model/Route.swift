import Glibc

/// Where something that moves is: on a circle, with a speed that swings about its mean.
///
/// Place, speed, acceleration and turning are the derivatives of one another, so that what one sensor
/// says can be found again in another.
struct Route {
    /// Metres a second, and metres a second squared along the way.
    let speed: Double
    let acceleration: Double
    /// Metres a second squared towards the centre, which is on the left.
    let towardsCentre: Double
    /// Radians a second, to the left.
    let turning: Double
    /// Degrees from north, clockwise, from 0 to 360.
    let heading: Double
    /// Metres from the centre.
    let east: Double
    let north: Double

    /// Mean speed, radius of the circle, share of the speed that swings, seconds of a swing.
    private static func shape(
        _ kind: Scenario.Kind
    ) -> (speed: Double, radius: Double, swing: Double, period: Double)? {
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
            (speed, acceleration, towardsCentre, turning, east, north) = (0, 0, 0, 0, 0, 0)
            heading = first * 180 / .pi
            return
        }
        // Nobody moves before the scenario begins.
        let time = max(0, time)
        let rate = 2 * Double.pi / shape.period
        let way = shape.speed * (time + shape.swing / rate * (1 - cos(rate * time)))
        speed = shape.speed * (1 + shape.swing * sin(rate * time))
        acceleration = shape.speed * shape.swing * rate * cos(rate * time)
        towardsCentre = speed * speed / shape.radius
        turning = speed / shape.radius
        let angle = first + way / shape.radius
        east = shape.radius * cos(angle)
        north = shape.radius * sin(angle)
        let degrees = (-angle * 180 / .pi).truncatingRemainder(dividingBy: 360)
        heading = degrees < 0 ? degrees + 360 : degrees
    }
}
