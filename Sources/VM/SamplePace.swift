import Samples

/// Passes over samples that come sooner after the last than the collection level says.
struct SamplePace {
    private let step: Int64
    private var last = Timestamp.distantPast

    init(_ interval: Duration) {
        step = interval.wholeMicroseconds
    }

    mutating func admits(_ time: Timestamp) -> Bool {
        // What is told late, or by a clock that was put back, is no sooner.
        if step > 0, time >= last, time < last.advanced(byMicroseconds: step) { return false }
        last = time
        return true
    }
}
