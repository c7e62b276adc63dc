import Foundation
import Ingest
import Motion
import Samples
import TestSupport
import Testing

struct SoundTests {
    private func sine(_ hertz: Double, _ rate: Double, _ seconds: Double, size: Double = 1)
        -> [Double]
    {
        (0..<Int(rate * seconds)).map { size * sin(2 * .pi * hertz * Double($0) / rate) }
    }

    /// IEC 61672-1:2013, table 3, with the tolerances of class 1.
    @Test(
        arguments: [
            (31.5, -39.4, 1.5, -1.5), (63, -26.2, 1, -1), (125, -16.1, 1, -1), (250, -8.6, 1, -1),
            (500, -3.2, 1, -1), (1000, 0, 0.7, -0.7), (2000, 1.2, 1, -1), (4000, 1, 1, -1),
            (8000, -1.1, 1.5, -2.5), (10_000, -2.5, 2, -3),
        ])
    func `the A weighting meets class 1 of the standard`(
        hertz: Double, wanted: Double, above: Double, below: Double
    ) throws {
        var level = try #require(NoiseLevel(rate: 48_000, window: .seconds(1)))
        let found = level.take(sine(hertz, 48_000, 2), from: .distantPast)
        // The second window, since the filter needs time to settle.
        let decibels = try #require(found.last).equivalent
        #expect(((wanted + below)...(wanted + above)).contains(decibels), "\(decibels)")
    }

    @Test func `a sine at full scale is 0 dB, a square wave 3 dB, a tenth of it 20 dB less`() throws
    {
        for (samples, wanted) in [
            (sine(1000, 48_000, 1), 0), ([Double](repeating: 1, count: 48_000), 3.0103),
            (sine(1000, 48_000, 1, size: 0.1), -20), ([Double](repeating: 0, count: 48_000), -200),
        ] {
            var level = try #require(NoiseLevel(rate: 48_000, weighting: .z))
            let reading = try #require(level.take(samples, from: .distantPast).first)
            #expect(abs(reading.equivalent - wanted) < 1e-3, "\(reading)")
        }
    }

    @Test func `the level covers the whole window, and the loudest part is reported`() throws {
        var level = try #require(
            NoiseLevel(rate: 8000, weighting: .z, window: .seconds(2), calibration: 94))
        let start = Timestamp(microseconds: 1_000_000)
        // Sound for a quarter of the window, in blocks that do not align with windows.
        let samples = sine(1000, 8000, 0.5) + [Double](repeating: 0, count: 12_000)
        var found: [NoiseLevel.Reading] = []
        for block in stride(from: 0, to: samples.count, by: 700) {
            let time = start.advanced(byMicroseconds: Int64(block) * 125)
            found += level.take(samples[block..<min(block + 700, samples.count)], from: time)
        }
        #expect(found.count == 1)
        let reading = try #require(found.first)
        #expect(abs(reading.equivalent - (94 - 6.0206)) < 1e-3)
        #expect(abs(reading.maximum - 94) < 1e-3)
        #expect(reading.time == Timestamp(microseconds: 3_000_000))
    }

    @Test func `samples that are not finite are dropped, and an invalid rate is rejected`() throws {
        var level = try #require(NoiseLevel(rate: 8000))
        #expect(level.take([.nan, .infinity, 0.5], from: .distantPast) == [])
        #expect(level.dropped == 2)
        for rate in [0, -1, .nan, .infinity, 100] { #expect(NoiseLevel(rate: rate) == nil) }
        #expect(NoiseLevel(rate: 8000, window: .zero) == nil)
        #expect(NoiseLevel(rate: 8000, calibration: .nan) == nil)
    }
}
