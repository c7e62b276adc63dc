import Foundation
import Motion
import Samples
import TestSupport
import Testing

struct ActivityTests {
    /// A recording of one activity, with its speed.
    enum Recording: String, CaseIterable {
        case lying, strolling, hurrying, jogging, riding, cruising, waiting

        var speed: Double {
            switch self {
            case .lying, .waiting: 0
            case .strolling: 1.1
            case .hurrying: 1.9
            case .jogging: 3
            case .riding: 5.5
            case .cruising: 22
            }
        }

        var activity: Activity {
            switch self {
            case .lying, .waiting: .stationary
            case .strolling, .hurrying: .walking
            case .jogging: .running
            case .riding: .cycling
            case .cruising: .driving
            }
        }

        func trace(seed: UInt64) -> MotionTrace {
            var trace = MotionTrace(seed: seed, noise: self == .waiting ? 0.1 : 0.02)
            switch self {
            case .lying, .waiting: trace.rest(seconds: 60)
            case .strolling: trace.walk(seconds: 60, cadence: 1.6)
            case .hurrying: trace.walk(seconds: 60, cadence: 2.2)
            case .jogging: trace.walk(seconds: 60, cadence: 2.7, strength: 2.5)
            case .riding: trace.cycle(seconds: 60)
            case .cruising: trace.drive(seconds: 60)
            }
            return trace
        }
    }

    private func readings(_ recording: Recording, seed: UInt64, hasSpeed: Bool) -> [ActivityReading]
    {
        var classifier = ActivityClassifier()
        return recording.trace(seed: seed).items.compactMap { item in
            if hasSpeed { classifier.take(speed: recording.speed, at: item.time) }
            return classifier.take(item.acceleration, at: item.time)
        }
    }

    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    /// The readings of twenty recordings that are always the same, or with `NERVOUS_LONG_TESTS=1` of 400
    /// random ones, and the seed of the first.
    ///
    /// Twenty random ones would be too few for a bound on their share: what makes one window hard to
    /// recognise affects the others of its recording, too.
    private func sample(
        _ recording: Recording, hasSpeed: Bool
    ) -> (readings: [ActivityReading], seed: UInt64) {
        let seed = Self.isLong ? UInt64.random(in: 0...UInt64.max / 2) : 0
        let all = (0..<(Self.isLong ? 400 : 20)).flatMap {
            readings(recording, seed: seed + $0, hasSpeed: hasSpeed)
        }
        return (all, seed)
    }

    @Test(arguments: Recording.allCases)
    func `activity windows with a speed are recognised`(recording: Recording) {
        // One of a hundred recordings of runs contains some seconds of walking.
        let (found, seed) = sample(recording, hasSpeed: true)
        #expect(found.count >= 20 * 27, "seed \(seed)")
        let right = found.filter { $0.activity == recording.activity }
        let sure = right.count { $0.confidence != .low }
        #expect(Double(right.count) >= 0.96 * Double(found.count), "seed \(seed): \(right.count)")
        #expect(Double(sure) >= 0.95 * Double(found.count), "seed \(seed): \(sure)")
    }

    @Test(arguments: Recording.allCases)
    func `without a speed most windows are recognised, vehicles never with high confidence`(
        recording: Recording
    ) {
        // On a single road, little more than half of the windows may be recognised.
        let (found, seed) = sample(recording, hasSpeed: false)
        let right = found.count { $0.activity == recording.activity }
        #expect(Double(right) >= 0.75 * Double(found.count), "seed \(seed): \(right)")
        let onWheels = found.filter { [.cycling, .driving].contains($0.activity) }
        #expect(onWheels.allSatisfy { $0.confidence != .high }, "seed \(seed)")
    }

    @Test func `of several equal fits the one with the highest priority is chosen`() {
        let order: [Activity] = [.walking, .running, .cycling, .driving, .stationary, .unknown]
        #expect(Activity.allCases == order)
        for (index, activity) in order.enumerated() {
            #expect(Activity.first(of: order[index...].reversed()) == activity)
            let tie = Dictionary(uniqueKeysWithValues: order[index...].map { ($0, 0.8) })
            #expect(ActivityReading(fits: tie).activity == activity)
        }
        #expect(Activity.first(of: []) == .unknown)
        #expect(
            ActivityReading(fits: [.walking: 0.8, .running: 0.85])
                == ActivityReading(.running, .low))
    }

    @Test(
        arguments: [
            (0.34, 0.0, Activity.unknown, ActivityReading.Confidence.low),
            (0.35, 0, .cycling, .low), (0.49, 0, .cycling, .low), (0.5, 0, .cycling, .medium),
            (0.74, 0, .cycling, .medium), (0.75, 0, .cycling, .high),
            (0.75, 0.44, .cycling, .high), (0.75, 0.46, .cycling, .medium),
            (0.9, 0.76, .cycling, .low), (1, 1, .cycling, .low),
        ])
    func `confidence depends on the fit and the lead`(
        best: Double, next: Double, activity: Activity, confidence: ActivityReading.Confidence
    ) {
        let reading = ActivityReading(fits: [.cycling: best, .stationary: next])
        #expect(reading == ActivityReading(activity, confidence))
    }

    @Test func `features that are not finite fit no activity`() {
        let features = MotionFeatures(
            lowFrequencyDeviation: .nan, highFrequencyDeviation: .infinity,
            steps: .init(rate: .nan, regularity: 1), speed: .nan)
        #expect(ActivityReading(fits: features.fits) == ActivityReading(.unknown, .low))
    }

    @Test func `a speed is valid for ten seconds`() throws {
        var classifier = ActivityClassifier()
        let trace = Recording.cruising.trace(seed: 4)
        let start = try #require(trace.items.first?.time)
        classifier.take(speed: 22, at: start)
        let found = trace.items.compactMap { item in
            classifier.take(item.acceleration, at: item.time).map {
                (after: item.time.microseconds - start.microseconds, reading: $0)
            }
        }
        let known = found.filter { $0.after <= 10_000_000 }
        #expect(known.count >= 3)
        #expect(known.allSatisfy { $0.reading == ActivityReading(.driving, .high) })
        #expect(
            found.filter { $0.after > 10_000_000 }.allSatisfy { $0.reading.confidence != .high })
        classifier.take(speed: -1, at: start)
        #expect(classifier.dropped == 1)
    }

    @Test func `acceleration samples become activity states`() throws {
        var classifier = ActivityClassifier()
        let samples = Recording.strolling.trace(seed: 3).items.compactMap { item in
            let values = [item.acceleration.x, item.acceleration.y, item.acceleration.z]
            return classifier.take(Sample(time: item.time, values: values.map { .number($0) }))
        }
        #expect(samples.last?.values == [.text("walking"), .text("high")])
        #expect(classifier.take(Sample(time: .distantFuture, values: [])) == nil)
        #expect(classifier.dropped == 1)
    }
}
