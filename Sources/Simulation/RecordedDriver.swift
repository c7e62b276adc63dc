public import Samples
public import VM

/// Sensors whose samples were recorded before.
public struct RecordedDriver: SensorDriver {
    private let recordings: [(sensor: Sensor, samples: SampleBatch)]

    /// - Parameter recordings: sensors with their samples, in the order of time.
    public init(_ recordings: [(sensor: Sensor, samples: SampleBatch)]) {
        self.recordings = recordings
    }

    public func discover() -> [DiscoveredSensor] {
        recordings.map { sensor, samples in
            DiscoveredSensor(sensor, .timed(Source(recorded: samples)))
        }
    }

    /// Gives what was recorded when it was recorded, whatever the collection level says now.
    private struct Source: TimedSource {
        let recorded: SampleBatch

        func next(after time: Timestamp, every interval: Duration) -> Timestamp? {
            let place = firstRow(after: time)
            return place < recorded.count ? recorded.times[place] : nil
        }

        func samples(
            after start: Timestamp, through end: Timestamp, every interval: Duration, limit: Int
        ) -> SampleBatch {
            let first = firstRow(after: start)
            var last = min(first + limit, firstRow(after: end))
            // What is of one time stays together, so that the next stretch leaves nothing out.
            while last > first, last < recorded.count, recorded.times[last] <= end,
                recorded.times[last] == recorded.times[last - 1]
            {
                last += 1
            }
            let rows = first..<max(first, last)
            return SampleBatch(
                times: Array(recorded.times[rows]), columns: recorded.columns.map { $0[rows] })
        }

        /// The number of samples up to `time`, that moment included.
        private func firstRow(after time: Timestamp) -> Int {
            var (low, high) = (0, recorded.count)
            while low < high {
                let middle = (low + high) / 2
                if recorded.times[middle] <= time { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
