import Foundation
import Motion
import Samples
import TestSupport

/// Simulated acceleration, reproducible from a seed.
///
/// A walk is a few harmonics of its cadence, whose strengths are near those measured at the waist,
/// with different left and right steps. A car is a body on springs over a rough road.
struct MotionTrace {
    typealias Item = (time: Timestamp, acceleration: Acceleration)

    private(set) var items: [Item] = []
    /// The number of simulated steps.
    private(set) var steps = 0
    private var random: SplitMix
    private let rate: Double
    private let noise: Double
    private var second = 0.0
    /// The unit vectors of gravity and of two horizontal axes.
    private let axes: [[Double]]

    /// - Parameters:
    ///   - rate: samples per second; times vary by a tenth of the interval.
    ///   - noise: the standard deviation of each axis in m/s².
    init(seed: UInt64, rate: Double = 50, noise: Double = 0.3) {
        var random = SplitMix(state: seed)
        let down = Self.unit((0..<3).map { _ in Self.normal(&random) })
        let other = Self.unit((0..<3).map { _ in Self.normal(&random) })
        let across = Self.unit(Self.cross(down, other))
        axes = [down, across, Self.cross(down, across)]
        (self.random, self.rate, self.noise) = (random, rate, noise)
    }

    mutating func rest(seconds: Double) {
        record(seconds) { _, _ in (0, 0, 0) }
    }

    /// - Parameter cadence: steps per second.
    mutating func walk(seconds: Double, cadence: Double, strength: Double = 1) {
        let size = strength * (1.3 + 2 * max(0, cadence - 1.4))
        let (second, third) = (
            Double.random(in: 0.2...0.5, using: &random),
            Double.random(in: 0.1...0.25, using: &random)
        )
        let phase = Double.random(in: 0...(2 * .pi), using: &random)
        let unlike = Double.random(in: 0...0.2, using: &random)
        var gait = Gait(cadence: cadence)
        record(seconds) { elapsed, random in
            gait.advance(elapsed, &random)
            let angle = 2 * Double.pi * gait.phase
            let foot = gait.isLeft ? 1 + unlike : 1 - unlike
            let up = cos(angle) + second * cos(2 * angle + phase) + third * cos(3 * angle)
            let ahead = 0.6 * size * sin(angle + phase)
            let aside = 0.4 * size * sin(angle / 2 + (gait.isLeft ? 0 : Double.pi))
            return (size * gait.force * foot * up, ahead, aside)
        }
        steps += gait.steps
    }

    /// - Parameter roughness: the standard deviation of the body's bounce in m/s².
    mutating func drive(seconds: Double, roughness: Double = 0.4) {
        let (bounce, damping) = (
            2 * Double.pi * Double.random(in: 1.1...1.9, using: &random),
            Double.random(in: 0.2...0.35, using: &random)
        )
        let hop = 2 * Double.pi * Double.random(in: 10...13, using: &random)
        let engine = 2 * Double.pi * Double.random(in: 25...45, using: &random)
        var (body, wheel) = (Resonance(bounce, damping), Resonance(hop, 0.1))
        var (clock, ahead, aside) = (0.0, 0.0, 0.0)
        record(seconds) { elapsed, random in
            clock += elapsed
            var push = Self.normal(&random)
            // A hole in the road, every minute or so.
            if Double.random(in: 0...60, using: &random) < elapsed { push += 40 }
            ahead += elapsed * (Self.normal(&random) * 0.5 / elapsed.squareRoot() - ahead * 0.2)
            aside += elapsed * (Self.normal(&random) * 0.5 / elapsed.squareRoot() - aside * 0.2)
            let up = body.step(push, elapsed) + 0.4 * wheel.step(push, elapsed)
            return (roughness * up + 0.15 * sin(engine * clock), ahead, aside)
        }
    }

    /// A bicycle on asphalt: slight swaying of the legs and a vibrating frame.
    mutating func cycle(seconds: Double) {
        var (frame, tyre) = (Resonance(2 * .pi * 7, 0.3), Resonance(2 * .pi * 18, 0.2))
        let pedals = 2 * Double.pi * Double.random(in: 1.1...1.5, using: &random)
        var clock = 0.0
        record(seconds) { elapsed, random in
            clock += elapsed
            let push = Self.normal(&random)
            let up = 1.2 * frame.step(push, elapsed) + 1.2 * tyre.step(push, elapsed)
            return (up + 0.3 * sin(pedals * clock), 0.3 * sin(2 * pedals * clock), 0)
        }
    }

    /// A walk with the phone in a trouser pocket.
    ///
    /// The thigh swings once a stride, and the strike of its own heel is stronger. The magnitude has a
    /// deviation of 3 to 5 m/s², as in recordings.
    ///
    /// - Parameter cadence: steps per second.
    mutating func walkWithPocket(seconds: Double, cadence: Double) {
        let (swing, other) = (
            Double.random(in: 0.3...0.45, using: &random),
            Double.random(in: 0.3...0.7, using: &random)
        )
        let phase = Double.random(in: 0...(2 * .pi), using: &random)
        var gait = Gait(cadence: cadence)
        record(seconds) { elapsed, random in
            gait.advance(elapsed, &random)
            let angle = 2 * Double.pi * gait.phase
            let stride = angle / 2 + (gait.isLeft ? 0 : Double.pi)
            let thigh = 0.2 + swing * sin(stride + phase)
            let foot = gait.force * (gait.isLeft ? 1 : other)
            let strike = foot * (5 * cos(angle) + 2 * cos(2 * angle))
            return (9.81 * (cos(thigh) - 1) + strike, 9.81 * sin(thigh), 0.5 * sin(stride))
        }
        steps += gait.steps
    }

    /// A phone in the trouser pocket of a cyclist: the thigh swings, which also turns gravity.
    mutating func pedal(seconds: Double) {
        var (frame, tyre) = (Resonance(2 * .pi * 7, 0.3), Resonance(2 * .pi * 18, 0.2))
        let cadence = Double.random(in: 1...1.5, using: &random)
        let rise = Double.random(in: 0.3...0.4, using: &random)
        let second = Double.random(in: 0...0.1, using: &random)
        let phase = Double.random(in: 0...(2 * .pi), using: &random)
        var (angle, speed) = (0.0, 2 * Double.pi * cadence)
        record(seconds) { elapsed, random in
            let drift = 2 * Double.pi * cadence - speed
            speed += elapsed * 0.2 * drift + 0.1 * elapsed.squareRoot() * Self.normal(&random)
            angle += elapsed * speed
            let thigh = 1 + rise * (sin(angle) + second * sin(2 * angle + phase))
            let turning =
                -rise * speed * speed * (sin(angle) + 4 * second * sin(2 * angle + phase))
            let push = Self.normal(&random)
            let shake = 1.2 * frame.step(push, elapsed) + 1.2 * tyre.step(push, elapsed)
            // Tangential, 0.2 m from the hip.
            let swing = 0.2 * turning
            return (9.81 * (cos(thigh) - 1) + shake, 9.81 * sin(thigh) + swing, 0)
        }
    }

    /// A phone on a desk with a keyboard: keys are hit in bursts, and the table rings.
    mutating func type(seconds: Double) {
        var table = Resonance(2 * .pi * 25, 0.1)
        var isBurst = false
        record(seconds) { elapsed, random in
            if Double.random(in: 0...5, using: &random) < elapsed { isBurst.toggle() }
            let isHit = isBurst && Double.random(in: 0...0.15, using: &random) < elapsed
            let hit = isHit ? Double.random(in: 0.5...2, using: &random) : 0
            return (table.step(hit, elapsed), 0, 0)
        }
    }

    /// A phone in the hands of a person who sits: turned, moved, tapped, and put down at times.
    mutating func handle(seconds: Double) {
        var (tilt, roll) = (Wander(0.3, seconds: 1), Wander(0.4, seconds: 1.5))
        var hand = (0..<3).map { _ in Wander(0.7, seconds: 0.25) }
        var tap = Resonance(2 * .pi * 12, 0.3)
        var isHeld = true
        record(seconds) { elapsed, random in
            if Double.random(in: 0...20, using: &random) < elapsed { isHeld.toggle() }
            guard isHeld else { return (0, 0, 0) }
            let (a, b) = (tilt.step(elapsed, &random), roll.step(elapsed, &random))
            let isHit = Double.random(in: 0...0.4, using: &random) < elapsed
            let hit = tap.step(isHit ? Double.random(in: 1...5, using: &random) : 0, elapsed)
            let moves = hand.indices.map { hand[$0].step(elapsed, &random) }
            return (
                9.81 * (cos(a) * cos(b) - 1) + moves[0] + hit, 9.81 * sin(a) + moves[1],
                9.81 * cos(a) * sin(b) + moves[2]
            )
        }
    }

    /// A phone that is shaken along one axis.
    mutating func shake(seconds: Double, frequency: Double, strength: Double = 12) {
        var angle = 0.0
        record(seconds) { elapsed, random in
            angle += 2 * .pi * frequency * elapsed * (1 + 0.3 * Self.normal(&random))
            return (0.3 * strength * sin(angle), strength * sin(angle), 0)
        }
    }

    /// Adds samples; the closure returns acceleration upwards, ahead and sideways for the time
    /// elapsed.
    mutating func record(
        _ seconds: Double, _ body: (Double, inout SplitMix) -> (Double, Double, Double)
    ) {
        let end = second + seconds
        while second < end {
            let elapsed = (1 + 0.1 * Double.random(in: -1...1, using: &random)) / rate
            second += elapsed
            let (up, ahead, aside) = body(elapsed, &random)
            let parts = [9.81 + up, ahead, aside]
            let axis = (0..<3).map { index in
                zip(axes, parts).reduce(0) { $0 + $1.0[index] * $1.1 } + noise
                    * Self.normal(&random)
            }
            let time = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(second * 1_000_000))
            guard let acceleration = Acceleration(x: axis[0], y: axis[1], z: axis[2]) else {
                continue
            }
            items.append((time, acceleration))
        }
    }

    /// The steps of a walk, whose speed and force vary from step to step.
    private struct Gait {
        /// Steps per second.
        let cadence: Double
        private(set) var steps = 0
        /// The part of the current step that has passed, from 0 to 1.
        private(set) var phase = 0.0
        /// The force of the current step, relative to the mean.
        private(set) var force = 1.0
        private var speed: Double

        init(cadence: Double) {
            (self.cadence, speed) = (cadence, cadence)
        }

        var isLeft: Bool { steps % 2 == 0 }

        mutating func advance(_ elapsed: Double, _ random: inout SplitMix) {
            phase += elapsed * speed
            guard phase >= 1 else { return }
            phase -= 1
            steps += 1
            speed = cadence * (1 + 0.03 * MotionTrace.normal(&random))
            force = 1 + 0.1 * MotionTrace.normal(&random)
        }
    }

    /// A damped spring driven by noise; its acceleration has a deviation of about one.
    private struct Resonance {
        let frequency: Double
        let damping: Double
        var (displacement, speed) = (0.0, 0.0)

        init(_ frequency: Double, _ damping: Double) {
            (self.frequency, self.damping) = (frequency, damping)
        }

        mutating func step(_ push: Double, _ elapsed: Double) -> Double {
            // White noise with the power that gives the position a deviation of one.
            let scale = 2 * (damping * frequency * frequency * frequency).squareRoot()
            speed += scale * push * elapsed.squareRoot()
            // The exact solution over the step, so that no sampling rate is unstable.
            let damped = frequency * (1 - damping * damping).squareRoot()
            let (decay, c, s) = (
                exp(-damping * frequency * elapsed), cos(damped * elapsed), sin(damped * elapsed)
            )
            let slope = (speed + damping * frequency * displacement) / damped
            let next = decay * (displacement * c + slope * s)
            speed =
                decay * (slope * damped * c - displacement * damped * s) - damping * frequency
                * next
            displacement = next
            return displacement
        }
    }

    /// The trace as a phone provides it without gravity.
    func withoutGravity() -> MotionTrace {
        var (trace, gravity) = (self, GravityFilter())
        trace.items = items.compactMap { item in
            let all = SIMD3(item.acceleration.x, item.acceleration.y, item.acceleration.z)
            let rest = gravity.remove(from: all, at: item.time)
            return Acceleration(x: rest.x, y: rest.y, z: rest.z).map { (item.time, $0) }
        }
        return trace
    }

    /// Noise that forgets its value after some time: an Ornstein–Uhlenbeck process.
    private struct Wander {
        let deviation: Double
        let seconds: Double
        var value = 0.0

        init(_ deviation: Double, seconds: Double) {
            (self.deviation, self.seconds) = (deviation, seconds)
        }

        mutating func step(_ elapsed: Double, _ random: inout SplitMix) -> Double {
            let kept = exp(-elapsed / seconds)
            value =
                kept * value + deviation * (1 - kept * kept).squareRoot()
                * MotionTrace.normal(&random)
            return value
        }
    }

    static func normal(_ random: inout SplitMix) -> Double {
        let (u, v) = (
            Double.random(in: Double.leastNonzeroMagnitude...1, using: &random),
            Double.random(in: 0...(2 * .pi), using: &random)
        )
        return (-2 * log(u)).squareRoot() * cos(v)
    }

    private static func unit(_ vector: [Double]) -> [Double] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / length }
    }

    private static func cross(_ a: [Double], _ b: [Double]) -> [Double] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
}

/// Removes the average of the last second, as phones do that have no gyroscope.
struct GravityFilter {
    private var gravity: SIMD3<Double>?
    private var last: Timestamp?

    mutating func remove(from vector: SIMD3<Double>, at time: Timestamp) -> SIMD3<Double> {
        let elapsed = last.map { Double(time.microseconds - $0.microseconds) / 1_000_000 } ?? 0
        let before = gravity ?? vector
        let now = before + (vector - before) * (elapsed / (1 + elapsed))
        (gravity, last) = (now, time)
        return vector - now
    }
}
