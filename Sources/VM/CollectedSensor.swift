import Samples

/// What the virtual machine keeps of one sensor while it runs.
struct CollectedSensor {
    var sensor: Sensor
    var availability: Availability
    var failure: String?
    var failures = 0
    /// The work that reads it; `nil` while it is off, unavailable or nothing is collected.
    var collection: Task<Void, Never>?
    /// Whether that work has a device take samples by itself, and is to give it back.
    var isCapturing = false
    /// What gives a device back; nothing reads it before that has ended.
    var closing: Task<Void, Never>?
    /// Something to know about how it is read; `nil` where nothing is.
    var note: String?
    /// Grows with every change, so that a sample read under an older rule is not stored.
    var generation = 0

    var state: SensorStatus.State {
        guard case .unavailable(let reason, let remedy) = availability else { return .available }
        return .unavailable(reason: reason, remedy: remedy)
    }

    var report: SourceReport? {
        guard case .pushed(let source) = availability else { return nil }
        return source.report
    }

    var isUnavailable: Bool { availability.isUnavailable }
}
