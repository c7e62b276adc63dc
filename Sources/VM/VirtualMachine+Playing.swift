import SampleStore
public import Samples

extension VirtualMachine {
    /// Samples that are taken from a source at once.
    private static let stretch = 10_000
    /// Batches, and samples of them, that may wait for the file: every read looks through them.
    private static let unwritten = (batches: 64, samples: 50_000)

    /// The sensors whose samples follow from their time.
    public var timedSensors: [SensorID] {
        sensors.filter { if case .timed = $0.value.availability { true } else { false } }
            .keys.sorted()
    }

    /// When the first sample of some sensors after `time` is; `nil` when none of them has one.
    public func nextSample(of ids: some Sequence<SensorID>, after time: Timestamp) -> Timestamp? {
        ids.compactMap { id in
            timed(id).flatMap { source, interval in source.next(after: time, every: interval) }
        }.min()
    }

    /// Accepts the samples of all timed sensors after `start` and up to `end`, that moment included,
    /// sensor by sensor.
    ///
    /// When the task is cancelled, it stops between two stretches.
    ///
    /// - Throws: `storeFailed` and `diskFull` when they cannot be kept.
    public func play(
        after start: Timestamp, through end: Timestamp
    ) async throws(VirtualMachineError) {
        for id in timedSensors {
            var place = start
            while !Task.isCancelled, let (source, interval) = timed(id) {
                let batch = source.samples(
                    after: place, through: end, every: interval, limit: Self.stretch)
                guard let last = batch.times.last else { break }
                try await take(batch, of: id)
                guard batch.count >= Self.stretch else { break }
                place = last
            }
        }
    }

    /// Accepts one sample of a timed sensor beside those of its source.
    ///
    /// - Throws: `unknownSensor` when it is none; as `play(after:through:)`.
    public func play(_ sample: Sample, of id: SensorID) async throws(VirtualMachineError) {
        guard let known = sensors[id], timed(id) != nil else {
            throw VirtualMachineError(
                .unknownSensor, "\(id) is not a sensor whose samples can be set.")
        }
        guard let batch = SampleBatch([sample], of: known.sensor.fields) else {
            throw VirtualMachineError(.storeFailed, "The values do not fit the fields of \(id).")
        }
        try await take(batch, of: id)
    }

    // MARK: - Private

    /// The source of a timed sensor that is not off, and the time between two of its samples.
    private func timed(_ id: SensorID) -> (any TimedSource, Duration)? {
        guard let known = sensors[id], case .timed(let source) = known.availability,
            let interval = level(of: id).interval(known.sensor.cadence)
        else { return nil }
        return (source, interval)
    }

    private func take(_ batch: SampleBatch, of id: SensorID) async throws(VirtualMachineError) {
        do {
            try await store.append(batch, to: id)
            waiting.batches += 1
            waiting.samples += batch.count
            guard
                waiting.batches >= Self.unwritten.batches
                    || waiting.samples >= Self.unwritten.samples
            else { return }
            waiting = (0, 0)
            try await store.flush()
        } catch {
            throw Self.wrap(error)
        }
    }
}
