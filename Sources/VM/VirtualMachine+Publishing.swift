public import Samples

extension VirtualMachine {
    /// Accepts a batch once, however often it comes under its key.
    ///
    /// A batch that came before is answered as it was then, for 24 hours; one that is still being
    /// stored is waited for. The keys are forgotten when the machine is closed.
    ///
    /// - Throws: as `publish(_:to:)`; `keyReused` when the key names another batch.
    public func publish(
        _ batch: SampleBatch, to id: SensorID, key: BatchKey
    ) async throws(VirtualMachineError) -> BatchReceipt {
        if let known = keys.find(key, of: id, at: time.now()) {
            guard known.digest == key.digest else {
                throw VirtualMachineError(
                    .keyReused, "The key was sent with another batch before.",
                    hint: "Give every batch a key of its own.")
            }
            return try await known.storing.value.get()
        }
        // In a task of its own: a caller that leaves must not end it halfway.
        let storing = Task { () -> Result<BatchReceipt, VirtualMachineError> in
            do throws(VirtualMachineError) {
                let last = try await publish(batch, to: id)
                return .success(BatchReceipt(accepted: batch.count, last: last))
            } catch {
                // What was not stored may be sent again.
                keys.forget(key, of: id)
                return .failure(error)
            }
        }
        keys.note(key, of: id, storing, at: time.now())
        return try await storing.value.get()
    }

    /// Passes when samples can be published to a sensor now.
    ///
    /// - Throws: `unknownSensor`, `unavailable` or `sensorOff`.
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
        guard level(of: id) != .off else {
            throw VirtualMachineError(
                .sensorOff, "\(id) is off.",
                hint: "Switch it on with: nervous sensors set \(id) low")
        }
    }
}
