import SampleStore
import Samples
import Scheduling

/// Stores the batches that clients publish; of batches with the same idempotency key only the first.
actor BatchPublisher {
    /// Throws unless samples can be published to the sensor now.
    typealias Check = @Sendable () async throws(VirtualMachineError) -> Void

    /// The maximum number of samples of one batch.
    static let largestBatch = SampleStore.bufferLimit

    private struct Pending: Hashable {
        let sensor: SensorID
        let client: String
        let name: String
    }

    private let store: SampleStore
    private let time: any TimeSource
    /// Batches with a key that are being stored.
    private var pending: [Pending: Task<Result<BatchReceipt, VirtualMachineError>, Never>] = [:]

    init(_ store: SampleStore, time: any TimeSource) {
        self.store = store
        self.time = time
    }

    /// - Parameter client: the client whose share of the budget the samples count towards; `nil`
    ///   for the owner.
    func publish(
        _ batch: SampleBatch, to id: SensorID, by client: String?, check: Check
    ) async throws(VirtualMachineError) -> Int64 {
        try await append(batch, to: id, by: client, named: nil, check: check)
    }

    func publish(
        _ batch: SampleBatch, to id: SensorID, by client: String?, key: BatchKey,
        check: @escaping Check
    ) async throws(VirtualMachineError) -> BatchReceipt {
        let name = Pending(sensor: id, client: key.client, name: key.name)
        while let earlier = pending[name] { _ = await earlier.value }
        // In a separate task, since cancelling the caller must not interrupt the work.
        let task = Task { () -> Result<BatchReceipt, VirtualMachineError> in
            defer { pending[name] = nil }
            do throws(VirtualMachineError) {
                return .success(try await publishOnce(batch, to: id, by: client, key, check))
            } catch {
                return .failure(error)
            }
        }
        pending[name] = task
        return try await task.value.get()
    }

    private func publishOnce(
        _ batch: SampleBatch, to id: SensorID, by client: String?, _ key: BatchKey,
        _ check: Check
    ) async throws(VirtualMachineError) -> BatchReceipt {
        try await check()
        do {
            if let known = try await store.receipt(of: key, to: id, at: time.now()) {
                guard known.digest == key.digest else {
                    throw VirtualMachineError(
                        .keyReused, "The key was used for another batch.",
                        hint: "Use a new key for each batch.")
                }
                // The batch may have been accepted while the disk was full and still be unwritten.
                try await store.flush(.synced)
                var receipt = known.receipt
                receipt.isRepeated = true
                return receipt
            }
        } catch {
            throw VirtualMachineError(error)
        }
        let last = try await append(
            batch, to: id, by: client, named: (key, time.now()), check: check)
        return BatchReceipt(accepted: batch.count, last: last)
    }

    private func append(
        _ batch: SampleBatch, to id: SensorID, by client: String?,
        named: (key: BatchKey, at: Timestamp)?, check: Check
    ) async throws(VirtualMachineError) -> Int64 {
        try await check()
        guard batch.count <= Self.largestBatch else {
            throw VirtualMachineError(
                .batchTooLarge, "A batch contains at most \(Self.largestBatch) samples.",
                hint: "Send them in several batches.")
        }
        do {
            let last = try await store.publish(batch, to: id, by: client, named: named)
            guard let last else {
                // The sensor may have been switched off meanwhile.
                try await check()
                throw VirtualMachineError(
                    .bufferFull, "Too many samples are waiting to be written.",
                    hint: "Try again later.")
            }
            try await store.flush(.synced)
            return last
        } catch {
            throw VirtualMachineError(error)
        }
    }
}
