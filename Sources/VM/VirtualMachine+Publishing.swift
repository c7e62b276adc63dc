import SampleStore
public import Samples

extension VirtualMachine {
    /// What a named batch is known by while it is stored.
    struct NamedStoring: Hashable {
        let sensor: SensorID
        let client: String
        let name: String
    }

    /// Accepts samples that a client publishes; when this returns they survive a power cut.
    ///
    /// - Returns: the arrival number of the last one.
    /// - Throws: `unknownSensor`, `unavailable`, `sensorOff`, `bufferFull`, `diskFull`; `storeFailed`
    ///   when they do not fit the sensor's fields, or the file could not be written.
    @discardableResult
    public func publish(
        _ batch: SampleBatch, to id: SensorID
    ) async throws(VirtualMachineError) -> Int64 {
        try await publish(batch, to: id, named: nil)
    }

    private func publish(
        _ batch: SampleBatch, to id: SensorID, named: (key: BatchKey, at: Timestamp)?
    ) async throws(VirtualMachineError) -> Int64 {
        try checkPublishing(to: id)
        guard batch.count <= Self.largestBatch else {
            throw VirtualMachineError(
                .batchTooLarge, "At most \(Self.largestBatch) samples are taken at once.",
                hint: "Send them in several batches.")
        }
        do {
            guard let last = try await store.append(batch, to: id, named: named) else {
                // It may have been switched off meanwhile.
                try checkPublishing(to: id)
                throw VirtualMachineError(
                    .bufferFull, "Too many samples wait to be written.", hint: "Try again later.")
            }
            try await store.flush(.power)
            return last
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Accepts a batch once, however often it comes under its key.
    ///
    /// A batch that came before is answered as it was then, for 24 hours and also by a later session;
    /// one that is still being stored is waited for. A client has 10 000 keys at least.
    ///
    /// - Throws: as `publish(_:to:)`; `keyReused` when the key names another batch.
    public func publish(
        _ batch: SampleBatch, to id: SensorID, key: BatchKey
    ) async throws(VirtualMachineError) -> BatchReceipt {
        let name = NamedStoring(sensor: id, client: key.client, name: key.name)
        while let earlier = storing[name] { _ = await earlier.value }
        // In a task of its own: a caller that leaves must not end it halfway.
        let task = Task { () -> Result<BatchReceipt, VirtualMachineError> in
            defer { storing[name] = nil }
            do throws(VirtualMachineError) {
                return .success(try await publishOnce(batch, to: id, key))
            } catch {
                return .failure(error)
            }
        }
        storing[name] = task
        return try await task.value.get()
    }

    private func publishOnce(
        _ batch: SampleBatch, to id: SensorID, _ key: BatchKey
    ) async throws(VirtualMachineError) -> BatchReceipt {
        try checkPublishing(to: id)
        do {
            if let known = try await store.receipt(of: key, to: id, at: time.now()) {
                guard known.digest == key.digest else {
                    throw VirtualMachineError(
                        .keyReused, "The key was sent with another batch before.",
                        hint: "Give every batch a key of its own.")
                }
                // It may have been accepted when the disk was full, and wait since then.
                try await store.flush(.power)
                return known.receipt
            }
        } catch {
            throw Self.wrap(error)
        }
        let last = try await publish(batch, to: id, named: (key, time.now()))
        return BatchReceipt(accepted: batch.count, last: last)
    }

    /// Passes when samples can be published to a sensor now.
    ///
    /// They can be to those that are declared for it. What the host reads itself stays what it has read:
    /// nobody adds to it, and statistics of it are of nothing else.
    ///
    /// - Throws: `unknownSensor`, `unavailable`, `sensorComputed`, `sensorCollected` or `sensorOff`.
    public func checkPublishing(to id: SensorID) throws(VirtualMachineError) {
        guard let known = sensors[id] else {
            throw VirtualMachineError(
                .unknownSensor, "There is no sensor named \(id).",
                hint: "List them with: nervous sensors")
        }
        if case .unavailable(let reason, let remedy) = known.state {
            throw VirtualMachineError(
                .unavailable, "\(id) is not available: \(reason).", hint: remedy)
        }
        guard known.sensor.derivation == nil else {
            throw VirtualMachineError(
                .sensorComputed, "\(id) is virtual: its samples are computed, not published.")
        }
        guard case .published = known.availability else {
            throw VirtualMachineError(
                .sensorCollected, "\(id) is read by the host, so no samples of it are published.",
                hint: "Publish to a sensor of your own: nervous sensors add NAME")
        }
        guard level(of: id) != .off else {
            throw VirtualMachineError(
                .sensorOff, "\(id) is off.",
                hint: "Switch it on with: nervous sensors set \(id) low")
        }
    }

    /// Whether clients can have made what a sensor gives: its own samples, or those of an input.
    public func isPublished(_ id: SensorID) -> Bool {
        guard let known = sensors[id] else { return false }
        if let derivation = known.sensor.derivation {
            return derivation.sensors.contains(where: isPublished)
        }
        // Hardware may have taken the place of one that is declared, and what was published stays.
        if declared.sensors[id] != nil { return true }
        return switch known.availability {
        case .published: true
        case .derived(let input, _): isPublished(input)
        case .polled, .pushed, .timed, .unavailable: false
        }
    }
}
