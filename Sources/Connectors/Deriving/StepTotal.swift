import Motion
import Samples
import VM

/// Counts steps on from those that were counted before, so that the total never goes back.
struct StepTotal: SampleDeriver {
    private var counter = StepCounter()
    private var before: Int64 = 0

    var inputs: [Field] { StepCounter.inputs }

    mutating func resume(after last: Sample) {
        if case .integer(let total)? = last.values.first, total >= 0 { before = total }
    }

    mutating func take(_ sample: Sample) -> Sample? {
        guard let counted = counter.take(sample) else { return nil }
        let (total, overflow) = before.addingReportingOverflow(Int64(counter.steps))
        return Sample(time: counted.time, values: [.integer(overflow ? .max : total)])
    }
}
