import SampleStore
import Samples

/// A timed sensor that is not off.
struct TimedSensor: Sendable {
    let source: any TimedSource
    let fields: [Field]
    let interval: Duration
}

/// Stores the samples of timed sensors as time passes.
actor Playback {
    /// The maximum number of samples that are taken from a source at once.
    private static let page = 10_000
    /// The maximum numbers of unwritten batches and samples, since every read searches them.
    private static let unwrittenLimit = (batches: 64, samples: 50_000)

    private let store: SampleStore
    private let collector: SensorCollector
    /// The numbers of batches and samples stored since the last flush.
    private var unwritten = (batches: 0, samples: 0)

    init(_ store: SampleStore, _ collector: SensorCollector) {
        self.store = store
        self.collector = collector
    }

    func nextSample(of ids: [SensorID], after time: Timestamp) async -> Timestamp? {
        var next: Timestamp?
        for id in ids {
            guard let sensor = await collector.timed(id),
                let time = sensor.source.next(after: time, every: sensor.interval)
            else { continue }
            next = min(next ?? time, time)
        }
        return next
    }

    func play(
        after start: Timestamp, through end: Timestamp
    ) async throws(VirtualMachineError) {
        for id in await collector.timedSensors {
            var position = start
            while !Task.isCancelled, let sensor = await collector.timed(id) {
                let batch = sensor.source.samples(
                    after: position, through: end, every: sensor.interval, limit: Self.page)
                guard let last = batch.times.last else { break }
                try await store(batch, of: id)
                guard batch.count >= Self.page else { break }
                position = last
            }
        }
    }

    func play(_ sample: Sample, of id: SensorID) async throws(VirtualMachineError) {
        guard let sensor = await collector.timed(id) else {
            throw VirtualMachineError(
                .unknownSensor, "\(id) is not a sensor whose samples can be set.")
        }
        guard let batch = SampleBatch([sample], of: sensor.fields) else {
            throw VirtualMachineError(.storeFailed, "The values do not fit the fields of \(id).")
        }
        try await store(batch, of: id)
    }

    private func store(_ batch: SampleBatch, of id: SensorID) async throws(VirtualMachineError) {
        do {
            try await store.append(batch, to: id)
            unwritten.batches += 1
            unwritten.samples += batch.count
            guard
                unwritten.batches >= Self.unwrittenLimit.batches
                    || unwritten.samples >= Self.unwrittenLimit.samples
            else { return }
            unwritten = (0, 0)
            try await store.flush()
        } catch {
            throw VirtualMachineError(error)
        }
    }
}
