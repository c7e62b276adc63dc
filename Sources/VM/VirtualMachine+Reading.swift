import Logging
import SampleStore
import Samples

extension VirtualMachine {
    /// Ends the reading of a sensor and, when the person lets it be read, begins it anew.
    func restart(_ id: SensorID) {
        suspend(id)
        guard var known = sensors[id] else { return }
        if isCollecting, let interval = level(of: id).interval(known.sensor.cadence) {
            known.collection = collection(of: id, known, every: interval)
            known.isCapturing = isCapture(id, known, every: interval)
        }
        sensors[id] = known
    }

    /// Ends the reading of a sensor; what is being read meanwhile is not stored.
    func suspend(_ id: SensorID) {
        guard var known = sensors[id] else { return }
        known.collection?.cancel()
        if known.isCapturing { known.closing = known.collection }
        known.isCapturing = false
        known.note = nil
        known.collection = nil
        known.generation += 1
        sensors[id] = known
    }

    private func isCapture(
        _ id: SensorID, _ known: CollectedSensor, every interval: Duration
    ) -> Bool {
        guard case .polled(let reader) = known.availability else { return false }
        return reader is any BufferedReader && wantsBlocks(of: id, every: interval)
    }

    private func collection(
        of id: SensorID, _ known: CollectedSensor, every interval: Duration
    ) -> Task<Void, Never>? {
        let (generation, closing) = (known.generation, known.closing)
        let isCapture = isCapture(id, known, every: interval)
        return switch known.availability {
        case .polled(let reader):
            Task(executorPreference: executor) {
                await closing?.value
                if isCapture, let reader = reader as? any BufferedReader {
                    await self.capture(from: reader, id, every: interval, generation: generation)
                } else {
                    await self.poll(reader, id, every: interval, generation: generation)
                }
            }
        case .pushed(let source):
            Task { await self.receive(source, id, every: interval, generation: generation) }
        case .derived(let input, let deriver):
            Task {
                await self.derive(deriver, of: input, id, every: interval, generation: generation)
            }
        case .timed, .published, .unavailable:
            nil
        }
    }

    nonisolated func poll(
        _ reader: any SampleReader, _ id: SensorID, every interval: Duration, generation: Int
    ) async {
        var reader = reader
        while !Task.isCancelled {
            _ = await readOnce(&reader, id, generation)
            do {
                try await time.sleepToNextTick(every: interval)
            } catch {
                return
            }
        }
    }

    /// - Returns: whether the reader gave a sample or failed, and so needs no second read.
    private nonisolated func readOnce(
        _ reader: inout any SampleReader, _ id: SensorID, _ generation: Int
    ) async -> Bool {
        guard await isCurrent(id, generation) else { return true }
        do throws(SensorError) {
            guard let values = try reader.read() else { return false }
            await accept([Sample(time: time.now(), values: values)], from: id, generation)
        } catch {
            await note(error, of: id, generation)
        }
        return true
    }

    /// However a source ends, it is gone until hardware is looked for again.
    ///
    /// - Parameter interval: samples that come sooner after the last are passed over.
    private func receive(
        _ source: any SampleSource, _ id: SensorID, every interval: Duration, generation: Int
    ) async {
        var reason = "\(id) sends nothing any more"
        var pace = SamplePace(interval)
        do {
            for try await sample in source.samples() {
                guard isCurrent(id, generation) else { return }
                guard pace.admits(sample.time) else { continue }
                await accept([sample], from: id, generation)
            }
        } catch {
            reason = (error as? SensorError)?.message ?? "\(id) ended: \(error)"
        }
        note(SensorError(.gone, reason), of: id, generation)
    }

    func isCurrent(_ id: SensorID, _ generation: Int) -> Bool {
        sensors[id]?.generation == generation && level(of: id) != .off
    }

    func accept(_ samples: [Sample], from id: SensorID, _ generation: Int) async {
        do throws(SampleStoreError) {
            // The level may have changed while the sensor was read.
            guard isCurrent(id, generation) else { return }
            try await store.append(samples, to: id)
            if isCurrent(id, generation) { sensors[id]?.failure = nil }
        } catch {
            note(SensorError(.malformed, error.message), of: id, generation)
        }
    }

    func note(_ error: SensorError, of id: SensorID, _ generation: Int) {
        guard var known = sensors[id], known.generation == generation else { return }
        if known.failure != error.message { logger.warning("\(error.message)") }
        known.failure = error.message
        known.failures += 1
        sensors[id] = known
        if error.code == .gone {
            sensors[id]?.availability = .unavailable(reason: error.message, remedy: nil)
            restart(id)
        }
    }

    /// Reads each sensor, and those that had nothing to say yet once more.
    nonisolated func readTwice(_ readers: [(SensorID, Int, any SampleReader)]) async {
        var unanswered: [(SensorID, Int, any SampleReader)] = []
        for (id, generation, var reader) in readers {
            if await !readOnce(&reader, id, generation) {
                unanswered.append((id, generation, reader))
            }
        }
        if !unanswered.isEmpty { try? await time.sleep(.milliseconds(200)) }
        for (id, generation, var reader) in unanswered {
            _ = await readOnce(&reader, id, generation)
        }
    }
}
