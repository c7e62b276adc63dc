import Motion
import TestSupport
import Testing

/// Steps and activities of people who walked with a phone in a pocket, a hand, an armband, a pouch or a bag.
@Suite(
    .blocking, .enabled(if: WalkRecording.folder != nil, "STEPS names no folder of recorded walks"))
struct WalkRecordingTests {
    /// The steps that are counted in recordings of the Oxford-step-counter data set, CC BY 4.0, at 50 Hz.
    private static let expected = [
        "pixel_jamie_hard_armband_1": 268,
        "pixel_jamie_hard_backpocket_1": 258,
        "pixel_jamie_hard_backpocket_2": 257,
        "pixel_jamie_hard_frontpocket_1": 268,
        "pixel_jamie_hard_inhand_1": 291,
        "pixel_jamie_hard_neckpouch_1": 246,
        "pixel_jamie_hard_purse_1": 362,
        "pixel_jamie_hard_swingingarm_1": 265,
        "pixel_jamie_hard_swingingarm_2": 253,
        "samsung_carmelo_hard_armband_1": 292,
        "samsung_carmelo_hard_backpocket_1": 315,
        "samsung_dario_hard_frontpocket_2": 300,
        "samsung_dario_hard_inhand_1": 275,
        "samsung_dario_hard_neckpouch_2": 311,
    ]

    private let recordings: [WalkRecording]

    init() throws {
        recordings = try WalkRecording.all()
        #expect(recordings.count >= 5)
    }

    private func count(_ recording: WalkRecording) throws -> Int {
        var counter = StepCounter()
        for reading in recording.readings {
            counter.take(try acceleration(reading), at: reading.time)
        }
        counter.pause()
        return counter.steps
    }

    private func acceleration(_ reading: WalkRecording.Reading) throws -> Acceleration {
        let vector = reading.vector
        return try #require(Acceleration(x: vector.x, y: vector.y, z: vector.z))
    }

    @Test(arguments: [25.0, 50, 100], [true, false])
    func `nine of ten walks are counted within 5 percent, and none is more than 15 percent wrong`(
        rate: Double, hasGravity: Bool
    ) throws {
        let errors = try recordings.filter(\.feetAgree).map { recording in
            let resampled = recording.resampled(to: rate)
            let found = try count(hasGravity ? resampled : resampled.withoutGravity())
            return (recording.name, Double(found) / Double(recording.steps) - 1)
        }
        let good = errors.count { abs($0.1) <= 0.05 }
        #expect(Double(good) >= 0.9 * Double(errors.count), "\(errors)")
        #expect(errors.allSatisfy { abs($0.1) <= 0.15 }, "\(errors)")
    }

    @Test func `the same steps are counted as when the method was last changed`() throws {
        for recording in recordings {
            guard let expected = Self.expected[recording.name] else { continue }
            // Another platform may round one number differently.
            #expect(abs(try count(recording) - expected) <= 1, "\(recording.name)")
        }
    }

    @Test(arguments: [true, false])
    func `walking is recognised in 95 percent of the windows`(hasGravity: Bool) throws {
        var (walking, windows) = (0, 0)
        for recording in recordings {
            let all = hasGravity ? recording : recording.withoutGravity()
            var classifier = ActivityClassifier()
            for reading in all.readings {
                guard
                    let found = classifier.take(try acceleration(reading), at: reading.time)
                else { continue }
                windows += 1
                if found.activity == .walking { walking += 1 }
            }
        }
        #expect(Double(walking) >= 0.95 * Double(windows), "\(walking) of \(windows)")
    }
}
