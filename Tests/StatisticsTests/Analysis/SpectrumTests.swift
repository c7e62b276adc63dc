import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct SpectrumTests {
    @Test func `Fourier transforms of any length equal NumPy`() throws {
        for fixture in try AnalysisFixtures.load().transforms {
            let found = FourierTransform(length: fixture.values.count)(fixture.values)
            #expect(areClose(found.real, fixture.real, 1e-13), "\(fixture.values.count)")
            let scale = fixture.real.map(abs).max() ?? 0
            for (found, wanted) in zip(found.imaginary, fixture.imaginary) {
                #expect(areClose(found, wanted, 1e-13, scale: scale), "\(fixture.values.count)")
            }
        }
    }

    @Test func `a Fourier transform equals its defining sum`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for length in 0...40 {
            let (real, imaginary) = (
                (0..<length).map { _ in Double.random(in: -1...1, using: &random) },
                (0..<length).map { _ in Double.random(in: -1...1, using: &random) }
            )
            let found = FourierTransform(length: length)(real, imaginary)
            #expect(found.real.count == length)
            for k in 0..<length {
                var (a, b) = (0.0, 0.0)
                for n in 0..<length {
                    let angle = -2 * Double.pi * Double(k * n % length) / Double(length)
                    a += real[n] * cos(angle) - imaginary[n] * sin(angle)
                    b += real[n] * sin(angle) + imaginary[n] * cos(angle)
                }
                #expect(abs(found.real[k] - a) < 1e-12, "seed \(seed), length \(length)")
                #expect(abs(found.imaginary[k] - b) < 1e-12, "seed \(seed), length \(length)")
            }
        }
    }

    @Test func `long Fourier transforms keep their precision`() {
        for length in [65_536, 65_537, 99_991] {
            let values = (0..<length).map { $0 == 1 ? 1.0 : 0 }
            let found = FourierTransform(length: length)(values)
            let error = (0..<length).map { k in
                let angle = -2 * Double.pi * Double(k) / Double(length)
                return max(abs(found.real[k] - cos(angle)), abs(found.imaginary[k] - sin(angle)))
            }.max()
            #expect((error ?? 1) < 1e-12, "\(length)")
        }
    }

    @Test func `spectra equal SciPy`() throws {
        for fixture in try AnalysisFixtures.load().spectra {
            let what: Comment = "\(fixture.values.count) by \(fixture.segment)"
            let whole = try #require(
                try PowerSpectrum.periodogram(fixture.values, rate: fixture.rate))
            #expect(areClose(whole.frequencies, fixture.frequencies, 1e-15), what)
            #expect(areClose(whole.densities, fixture.periodogram, 1e-12), what)
            let averaged = try #require(
                try PowerSpectrum.welch(
                    fixture.values, rate: fixture.rate, segment: fixture.segment))
            #expect(areClose(averaged.frequencies, fixture.welchFrequencies, 1e-15), what)
            #expect(areClose(averaged.densities, fixture.welch, 1e-12), what)
        }
    }

    @Test(arguments: [2, 3, 100, 101, 1024])
    func `the density integrates to the variance`(count: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let values = (0..<count).map { _ in Double.random(in: 3...9, using: &random) }
        let found = try #require(try PowerSpectrum.periodogram(values, rate: 7))
        let sum = found.densities.reduce(0, +) * 7 / Double(count)
        let variance = Moments(values).populationVariance
        #expect(areClose(sum, variance, 1e-12), "seed \(seed)")
    }

    @Test func `invalid input gives no spectrum`() throws {
        #expect(try PowerSpectrum.periodogram([], rate: 1) == nil)
        #expect(try PowerSpectrum.periodogram([1, 2], rate: 0) == nil)
        #expect(try PowerSpectrum.periodogram([1, 2], rate: .nan) == nil)
        #expect(try PowerSpectrum.periodogram([1, 2], rate: .infinity) == nil)
        #expect(try PowerSpectrum.welch([1, 2], rate: 1, segment: 0) == nil)
        #expect(try PowerSpectrum.periodogram([1e300, -1e300], rate: 1) == nil)
        #expect(try PowerSpectrum.periodogram([3], rate: 1)?.densities == [0])
        #expect(try PowerSpectrum.periodogram([3, 3, 3], rate: 1)?.densities == [0, 0])
    }

    @Test func `a cancelled task computes no spectrum`() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try PowerSpectrum.welch([1, 2, 3], rate: 1, segment: 2)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
