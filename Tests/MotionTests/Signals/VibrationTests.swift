import Foundation
import Ingest
import Motion
import Samples
import TestSupport
import Testing

struct VibrationTests {
    private func readings(
        _ spectrum: inout VibrationSpectrum, seconds: Double, rate: Double,
        _ body: (Double) -> (Double, Double, Double)
    ) throws -> [VibrationSpectrum.Reading] {
        try (0..<Int(seconds * rate)).compactMap { index in
            let second = Double(index) / rate
            let (x, y, z) = body(second)
            let acceleration = try #require(Acceleration(x: x, y: y, z: z))
            let time = Timestamp(microseconds: 1_000_000_000 + Int64((second * 1e6).rounded()))
            return try spectrum.take(acceleration, at: time)
        }
    }

    @Test(arguments: [(12.5, 0.8), (25, 0.1), (40, 3)])
    func `frequency, acceleration and speed of a vibration are measured`(
        hertz: Double, size: Double
    ) throws {
        var spectrum = try #require(VibrationSpectrum(rate: 200, window: 512))
        let found = try readings(&spectrum, seconds: 10, rate: 200) { second in
            let sway = size * sin(2 * .pi * hertz * second)
            return (0.6 * sway, 9.81 + 0.8 * sway, 0)
        }
        #expect(found.count == 6)
        let reading = try #require(found.last)
        #expect(abs(reading.peak - hertz) <= 200 / 512)
        #expect(abs(reading.acceleration / (size / 2.squareRoot()) - 1) < 0.01)
        let speed = size / 2.squareRoot() / (2 * .pi * hertz) * 1000
        #expect(abs(reading.speed / speed - 1) < 0.02)
        #expect(reading.frequencies.count == 257)
        #expect(reading.densities.allSatisfy { $0 >= 0 })
    }

    @Test func `the spectrum of noise is flat and integrates to its variance`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var spectrum = try #require(VibrationSpectrum(rate: 100, window: 256))
        let found = try readings(&spectrum, seconds: 60, rate: 100) { _ in
            (MotionTrace.normal(&random), 9.81 + MotionTrace.normal(&random), 2)
        }
        let power =
            found.map { $0.acceleration * $0.acceleration }.reduce(0, +) / Double(found.count)
        #expect(abs(power - 2) < 0.25, "seed \(seed): \(power)")
    }

    @Test func `a gap starts a new window`() throws {
        var spectrum = try #require(VibrationSpectrum(rate: 100, window: 128))
        var found = 0
        for second in stride(from: 0.0, to: 20, by: 0.01)
        where second.truncatingRemainder(dividingBy: 1) < 0.7 {
            let acceleration = try #require(Acceleration(x: 0, y: 0, z: 9.81))
            let time = Timestamp(microseconds: Int64(second * 1e6))
            if try spectrum.take(acceleration, at: time) != nil { found += 1 }
        }
        #expect(found == 0)
    }

    @Test(arguments: [(9, 256), (20_000, 256), (100, 15), (100, 100_000), (0, 0), (-1, -1)])
    func `an invalid rate or window length is rejected`(rate: Int, window: Int) {
        #expect(VibrationSpectrum(rate: rate, window: window) == nil)
    }
}
