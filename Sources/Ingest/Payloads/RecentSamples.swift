import Samples

/// The last samples, so that what comes twice is seen.
struct RecentSamples: Sendable {
    enum Place {
        case new, late, repeated
    }

    private static let count = 64

    private var times: [Timestamp] = []
    private var samples: [Sample] = []
    private var next = 0
    private var newest = Timestamp.distantPast

    /// - Parameter repeats: whether alike samples of one time are samples nevertheless, since the time is
    ///   only that of their arrival.
    mutating func take(_ sample: Sample, repeats: Bool) -> Place {
        guard !repeats else { return .new }
        for (index, time) in times.enumerated() where time == sample.time {
            if samples[index] == sample { return .repeated }
        }
        if times.count < Self.count {
            times.append(sample.time)
            samples.append(sample)
        } else {
            times[next] = sample.time
            samples[next] = sample
            next = (next + 1) % Self.count
        }
        guard sample.time >= newest else { return .late }
        newest = sample.time
        return .new
    }
}
