import SampleStore
import Samples
import Scheduling

/// Collects one sensor until its task is cancelled, or its level, its fields or its hardware
/// change.
struct SensorTask: Sendable {
    /// Below this interval, reading single samples costs too much.
    private static let captureInterval = Duration.milliseconds(20)
    /// The interval at which a derived sensor processes its input, so that many samples are
    /// processed at once.
    private static let derivingInterval = Duration.milliseconds(250)
    /// The maximum number of samples that a derived sensor processes at once.
    private static let derivingPage = 1000

    private let collector: SensorCollector
    private let samples: SampleReading
    private let time: any TimeSource
    let id: SensorID
    /// The generation of the sensor when the task began; see ``CollectedSensor/generation``.
    let generation: Int
    private let interval: Duration

    /// - Parameter interval: between two samples; a single read needs none.
    init(
        _ id: SensorID, generation: Int, every interval: Duration = .zero,
        on collector: SensorCollector, samples: SampleReading, time: any TimeSource
    ) {
        self.collector = collector
        self.samples = samples
        self.time = time
        self.id = id
        self.generation = generation
        self.interval = interval
    }

    /// Whether to let the sensor's device collect samples in its buffer, instead of reading them one by
    /// one.
    static func captures(
        _ availability: Availability, at level: CollectionLevel, every interval: Duration
    ) -> Bool {
        // The last test is slow for types that do not conform.
        guard level == .high || interval < captureInterval,
            case .polled(let reader) = availability
        else { return false }
        return reader is any BufferedReader
    }

    /// Begins to collect; `nil` for a sensor that the virtual machine does not collect.
    ///
    /// - Parameters:
    ///   - closing: ends when the device is released from an earlier capture.
    ///   - executor: runs reads, which block in system calls.
    func start(
        _ availability: Availability, isCapturing: Bool, after closing: Task<Void, Never>?,
        on executor: any TaskExecutor
    ) -> Task<Void, Never>? {
        switch availability {
        case .polled(let reader):
            Task(executorPreference: executor) {
                await closing?.value
                if isCapturing, let reader = reader as? any BufferedReader {
                    await capture(from: reader)
                } else {
                    await poll(reader)
                }
            }
        case .pushed(let source): Task { await receive(source, on: collector) }
        case .derived(let input, let deriver): Task { await derive(deriver, from: input) }
        case .timed, .published, .unavailable: nil
        }
    }

    /// Reads one sample.
    ///
    /// - Returns: whether the reader returned a sample or failed, and so needs no second read.
    func readOnce(_ reader: inout any SampleReader) async -> Bool {
        if case .nothing = await read(&reader) { false } else { true }
    }

    private enum Outcome {
        case values([Value])
        /// There is no value yet.
        case nothing
        case failed

        var values: [Value]? {
            if case .values(let values) = self { values } else { nil }
        }
    }

    private func read(_ reader: inout any SampleReader) async -> Outcome {
        guard await collector.isCurrent(self) else { return .failed }
        do throws(SensorError) {
            guard let values = try reader.read() else { return .nothing }
            await collector.accept([Sample(time: time.now(), values: values)], from: self)
            return .values(values)
        } catch {
            await collector.fail(self, error)
            return .failed
        }
    }

    // MARK: - Polled sensors

    private func poll(_ reader: any SampleReader) async {
        var reader = reader
        var adaptive = AdaptiveInterval(startingAt: interval)
        while !Task.isCancelled {
            let outcome = await read(&reader)
            var next = interval
            if let bounds = await collector.adaptiveBounds(of: id) {
                next = adaptive.next(after: outcome.values, within: bounds)
                await collector.setInterval(next, of: self)
            }
            do {
                try await time.sleepToNextTick(every: next)
            } catch {
                return
            }
        }
    }

    /// Captures samples until cancelled; reads them one by one where that is impossible.
    private func capture(from reader: any BufferedReader) async {
        guard await collector.isCurrent(self) else { return }
        do throws(SensorError) {
            guard let capture = try reader.capture(every: interval, time: time) else {
                return await poll(reader)
            }
            let failure = await collect(capture)
            guard let failure else { return }
            guard failure.code != .gone else { return await collector.fail(self, failure) }
            throw failure
        } catch {
            await collector.note(
                "its samples are read one by one, because the device cannot capture them: \(error.message)",
                on: self)
        }
        await poll(reader)
    }

    /// - Returns: why the capture ended, unless it was cancelled.
    private func collect(_ capture: any SampleCapture) async -> SensorError? {
        defer { capture.end() }
        do throws(SensorError) {
            while !Task.isCancelled, await collector.isCurrent(self) {
                let samples = try capture.next()
                if !samples.isEmpty { await collector.accept(samples, from: self) }
            }
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Pushed sensors

    /// Stores the samples of a source.
    ///
    /// When the source ends, the sensor is unavailable until it is discovered again.
    private func receive(_ source: any SampleSource, on collector: isolated SensorCollector) async {
        var reason = "\(id) stopped sending"
        var pace = SamplePace(interval)
        if let last = try? await samples.newest(of: id, at: time.now()) {
            source.resume(after: last.sample)
        }
        do {
            for try await sample in source.samples() {
                guard collector.isCurrent(self) else { return }
                guard pace.admits(sample.time) else { continue }
                await collector.accept([sample], from: self)
            }
        } catch {
            reason = (error as? SensorError)?.message ?? "\(id) ended: \(error)"
        }
        collector.fail(self, SensorError(.gone, reason))
    }

    // MARK: - Derived sensors

    /// Computes samples from the samples of the input that are accepted from now on.
    ///
    /// It reads the input from the store, so that waiting samples need no memory here.
    private func derive(_ deriver: any SampleDeriver, from input: SensorID) async {
        var deriver = deriver
        var pace = SamplePace(interval)
        let signals = await samples.arrivalSignals(of: input)
        var position = await samples.lastSequence
        if let last = try? await samples.newest(of: id, at: time.now()) {
            deriver.resume(after: last.sample)
        }
        for await _ in signals {
            while let page = await page(of: input, deriver.inputs, after: &position, on: collector)
            {
                let derived = page.compactMap { deriver.take($0.sample) }
                    .filter { pace.admits($0.time) }
                if !derived.isEmpty { await collector.accept(derived, from: self) }
                guard page.count == Self.derivingPage else { break }
            }
            guard (try? await time.sleep(for: Self.derivingInterval)) != nil else { return }
        }
    }

    /// The next samples of an input; `nil` when there are none, or the input is off.
    private func page(
        of input: SensorID, _ fields: [Field], after position: inout Int64,
        on collector: isolated SensorCollector
    ) async -> [StoredSample]? {
        let last = await samples.lastSequence
        // Samples of an input that is off are skipped, even if they were accepted while it was on.
        guard collector.isCurrent(self), collector.isOn(input) else {
            position = last
            return nil
        }
        let page = await read(input, fields, after: position)
        if let page, page.count == Self.derivingPage, let end = page.last?.sequence {
            position = end
        } else {
            position = max(last, page?.last?.sequence ?? 0)
        }
        guard let page, !page.isEmpty, collector.isCurrent(self), collector.isOn(input) else {
            return nil
        }
        return page
    }

    private func read(
        _ input: SensorID, _ fields: [Field], after position: Int64
    ) async -> [StoredSample]? {
        do {
            return try await samples.store.arrivals(
                of: input, fields: fields, after: position, limit: Self.derivingPage)
        } catch {
            await collector.fail(self, SensorError(.malformed, error.message))
            return nil
        }
    }
}

/// Drops samples that follow the last admitted one by less than the interval of the level.
private struct SamplePace {
    private let step: Int64
    private var last = Timestamp.distantPast

    init(_ interval: Duration) {
        step = interval.wholeMicroseconds
    }

    mutating func admits(_ time: Timestamp) -> Bool {
        // Late samples, and samples after the clock was set back, are not too soon.
        if step > 0, time >= last, time < last.advanced(byMicroseconds: step) { return false }
        last = time
        return true
    }
}
