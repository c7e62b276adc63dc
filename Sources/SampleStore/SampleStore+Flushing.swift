import Samples

extension SampleStore {
    /// Returns when every sample accepted before the call survives the death of the process, or a
    /// power cut.
    ///
    /// Calls that come while a transaction is written share the next one.
    public func flush(_ durability: Durability = .process) async throws(SampleStoreError) {
        let target = lastAccepted
        while (durability == .process ? lastAcknowledged : lastSynchronised) < target {
            if let flight, flight.isSynchronised || durability == .process || !pending.isEmpty {
                // What this one does not carry, the next one does.
                let result = await flight.write.result
                let reached = durability == .process ? lastAcknowledged : lastSynchronised
                if case .failure(let error) = result, reached < target {
                    throw SampleStoreError(wrapping: error, while: "writing samples")
                }
                continue
            }
            do {
                try await beginFlight(isSynchronised: durability == .power).value
            } catch {
                throw SampleStoreError(wrapping: error, while: "writing samples")
            }
        }
    }

    // MARK: - Private

    /// Writes all that is pending in one transaction; later arrivals go with the next flight.
    private func beginFlight(isSynchronised: Bool) -> Task<Void, any Error> {
        let batch = pending
        let last = lastAccepted
        let write = Task {
            defer { self.flight = nil }
            // A source that brings more than the store may hold waits for room.
            _ = await upkeep.clearing?.result
            do {
                let written = try await file.write(batch, numbering)
                // They are in the file from here on, also when the disk fails to keep them.
                acknowledge(batch, upTo: last, written.counts)
                if written.used > file.space.file(within: upkeep.budget)
                    || file.logSize() > file.space.log(within: upkeep.budget)
                {
                    keepToBudget()
                }
                if isSynchronised {
                    let hadFailed = hasFailedToSynchronise
                    hasFailedToSynchronise = true
                    try await file.synchronise(hasFailed: hadFailed)
                    hasFailedToSynchronise = false
                    lastSynchronised = last
                }
            } catch {
                let wrapped = SampleStoreError(wrapping: error, while: "writing samples")
                failure = wrapped.message
                if wrapped.code == .full { keepToBudget() }
                throw error
            }
            failure = nil
            for entry in batch { sealIfDue(entry.layout) }
        }
        flight = Flight(write: write, isSynchronised: isSynchronised)
        return write
    }

    private func acknowledge(
        _ batch: [SampleFile.Entry], upTo last: Int64, _ written: [Int64: SampleFile.FreshCount]
    ) {
        fresh.add(written)
        if !batch.isEmpty { writes += 1 }
        pending.removeFirst(batch.count)
        waiting -= batch.reduce(0) { $0 + $1.batch.count }
        lastAcknowledged = last
    }

    /// Returns while nothing is being written.
    func endFlight() async {
        while let flight { _ = await flight.write.result }
    }
}
