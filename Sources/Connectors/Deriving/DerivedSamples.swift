import Motion
import Samples
import VM

/// What begins anew whenever it is switched on.
struct DerivedSamples<Made: DerivedSensor>: SampleDeriver {
    private var made: Made

    init(_ made: Made) {
        self.made = made
    }

    var inputs: [Field] { Made.inputs }

    mutating func resume(after last: Sample) {}

    mutating func take(_ sample: Sample) -> Sample? { made.take(sample) }
}
