import Foundation
import Motion
import Samples
import Testing

@testable import VM

/// The level `auto` on the acceleration of a recorded walk, with the phone in a trouser pocket.
///
/// The regular oscillation of a walk resembles the noise that the level ignores.
struct RecordedWalkTests {
    private struct Reading {
        let milliseconds: Int
        let acceleration: Acceleration

        var time: Timestamp {
            Timestamp(microseconds: 1_700_000_000_000_000 + Int64(milliseconds) * 1000)
        }
        var values: [Value] {
            [.number(acceleration.x), .number(acceleration.y), .number(acceleration.z)]
        }
    }

    /// A minute at 50 Hz.
    private let walk: [Reading]

    init() throws {
        let file = try #require(
            Bundle.module.url(
                forResource: "walk", withExtension: "csv", subdirectory: "Fixtures"))
        walk = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst(2)
            .map { line in
                let numbers = line.split(separator: ",").compactMap { Double($0) }
                try #require(numbers.count == 4)
                return Reading(
                    milliseconds: Int(numbers[0]),
                    acceleration: try #require(
                        Acceleration(x: numbers[1], y: numbers[2], z: numbers[3])))
            }
    }

    /// What is read of the walk.
    ///
    /// - Parameter interval: the time until the next read.
    private func reads(_ interval: (Reading) -> Duration) -> [Reading] {
        var reads: [Reading] = []
        var next = 0
        for reading in walk where reading.milliseconds >= next {
            reads.append(reading)
            // 10 ms is half of the recording's interval: the recorded reading nearest to the due time
            // is taken.
            next = reading.milliseconds + Int(interval(reading).wholeMicroseconds / 1000) - 10
        }
        return reads
    }

    private func readsAtAuto(longest: Duration?, isNeeded: Bool) -> [Reading] {
        let bounds = AdaptiveInterval.bounds(.fast, isNeeded: isNeeded, longest: longest)
        var adaptive = AdaptiveInterval(startingAt: Cadence.fast.medium)
        return reads { adaptive.next(after: $0.values, within: bounds) }
    }

    private func steps(_ reads: [Reading]) -> Int {
        var counter = StepCounter()
        for read in reads { counter.take(read.acceleration, at: read.time) }
        counter.pause()
        return counter.steps
    }

    @Test func `steps are counted as from every sample`() throws {
        let all = steps(walk)
        // The whole walk has 304 steps in 171 s, 107 a minute; it begins at rest.
        #expect((95...108).contains(all))
        let auto = steps(readsAtAuto(longest: StepCounter.longestInterval, isNeeded: false))
        #expect(abs(auto - all) <= 2, "\(auto) of \(all)")
    }

    @Test
    func `at auto, no fewer seconds have a reading above an alert's threshold than at medium`() {
        func seconds(_ reads: [Reading]) -> Int {
            Set(reads.filter { $0.acceleration.magnitude > 14 }.map { $0.milliseconds / 1000 })
                .count
        }
        let medium = seconds(reads { _ in Cadence.fast.medium })
        #expect(medium > 10)
        #expect(seconds(readsAtAuto(longest: nil, isNeeded: true)) >= medium)
    }

    @Test
    func `every 200 ms have a sample, enough for a grant with a rate of five samples per second`()
        throws
    {
        let slots = Set(readsAtAuto(longest: nil, isNeeded: true).map { $0.milliseconds / 200 })
        let last = try #require(walk.last).milliseconds / 200
        #expect(slots.count == last + 1)
    }
}
