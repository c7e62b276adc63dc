import Glibc

/// Random numbers that are a function of a seed, a channel and a position, so that each can be
/// computed independently.
///
/// The bits are from SplitMix64, a mixing function over a counter: G. L. Steele, D. Lea and C. H.
/// Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. Normal numbers are made of
/// two by the method of G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal
/// Deviates", 1958.
struct Noise: Hashable, Sendable {
    private static let gamma: UInt64 = 0x9E37_79B9_7F4A_7C15

    let seed: UInt64

    /// 64 random bits.
    func bits(_ channel: Channel, _ position: Int64) -> UInt64 {
        let stream = Self.mixed(seed &+ Self.gamma &* (channel.rawValue &+ 1))
        return Self.mixed(stream &+ Self.gamma &* UInt64(bitPattern: position))
    }

    /// A number from 0, included, to 1, excluded.
    func unit(_ channel: Channel, _ position: Int64) -> Double {
        Double(bits(channel, position) >> 11) * 0x1p-53
    }

    /// A normal number with mean 0 and standard deviation 1.
    func normal(_ channel: Channel, _ position: Int64) -> Double {
        let radius = sqrt(-2 * log(1 - unit(channel, 2 &* position)))
        return radius * cos(2 * .pi * unit(channel, 2 &* position &+ 1))
    }

    /// Noise that changes slowly: a normal number at each knot, with smooth interpolation.
    ///
    /// - Parameters:
    ///   - seconds: the time.
    ///   - period: seconds between two knots.
    func drift(_ channel: Channel, at seconds: Double, every period: Double) -> Double {
        let knot = (seconds / period).rounded(.down)
        let index = Int64(knot)
        let share = seconds / period - knot
        let weight = share * share * (3 - 2 * share)
        return (1 - weight) * normal(channel, index) + weight * normal(channel, index &+ 1)
    }

    private static func mixed(_ state: UInt64) -> UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// An independent stream of random numbers.
    enum Channel: UInt64, Sendable {
        case accelerationX, accelerationY, accelerationZ
        case angularVelocityX, angularVelocityY, angularVelocityZ
        case fieldX, fieldY, fieldZ
        case east, north, altitude, accuracy
        case heading, phase, place
        case temperature, humidity, pressure, light, noise
        case charge, power
        case processor, core, load, memory, processes
    }
}
