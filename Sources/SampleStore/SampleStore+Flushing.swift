import Samples

extension SampleStore {
    /// Returns when every sample accepted before the call survives the death of the process, or a
    /// power cut.
    ///
    /// Calls that come while a transaction is written share the next one.
    public func flush(_ durability: Durability = .process) async throws(SampleStoreError) {
        let target = lastAccepted
        while reached(durability) < target {
            guard flight == nil else {
                // What this one does not carry, the next one does.
                let failure = await endOfFlight()
                if let failure, reached(durability) < target { throw failure }
                continue
            }
            try await fly(isSynchronised: durability == .power)
        }
    }

    /// Returns while nothing is being written.
    func endFlight() async {
        while flight != nil { _ = await endOfFlight() }
    }

    // MARK: - Private

    private func reached(_ durability: Durability) -> Int64 {
        durability == .process ? lastAcknowledged : lastSynchronised
    }

    /// - Returns: why it failed.
    private func endOfFlight() async -> SampleStoreError? {
        await withCheckedContinuation { flight?.waiting.append($0) ?? $0.resume(returning: nil) }
    }

    /// Writes all that is pending in one transaction; later arrivals go with the next flight.
    ///
    /// Whoever asks for it first does it in his own task, which saves two changes of threads. That he
    /// is cancelled changes nothing: none of what is awaited here heeds it.
    private func fly(isSynchronised: Bool) async throws(SampleStoreError) {
        flight = Flight()
        var failure: SampleStoreError?
        do {
            // A source that brings more than the store may hold waits for room, and one that is faster
            // than its samples can be packed for that.
            _ = await upkeep.clearing?.result
            if pending.contains(where: { fresh.isFarBehind($0.layout.id, file.rules) }) {
                await queue.end?.value
            }
            try await writePending(isSynchronised: isSynchronised)
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "writing samples")
            if wrapped.code == .full { keepToBudget() }
            failure = wrapped
        }
        self.failure = failure?.message
        let others = flight?.waiting ?? []
        flight = nil
        for other in others { other.resume(returning: failure) }
        if let failure { throw failure }
    }

    private func writePending(isSynchronised: Bool) async throws {
        let (batch, last) = (pending, lastAccepted)
        if hasForgottenNumbers {
            try await file.raiseFloor(to: last)
            hasForgottenNumbers = false
        }
        let isAgain = isSynchronised && hasFailedToSynchronise
        let written = try await file.write(
            batch, noting: isNoted ? nil : numbering,
            synchronisedBy: isSynchronised && !isAgain
                ? file.space.logStep(within: upkeep.budget) : nil)
        // They are in the file from here on, also when the disk fails to keep them.
        acknowledge(batch, upTo: last, written.counts)
        if written.used > file.space.file(within: upkeep.budget)
            || written.log > file.space.log(within: upkeep.budget)
        {
            keepToBudget()
        }
        if isSynchronised {
            hasFailedToSynchronise = true
            if let failure = written.notKept { throw failure }
            if isAgain { try await file.synchroniseAgain() }
            hasFailedToSynchronise = false
            lastSynchronised = last
        }
        for entry in batch { sealIfDue(entry.layout) }
    }

    private func acknowledge(
        _ batch: [SampleFile.Entry], upTo last: Int64, _ written: [Int64: SampleFile.FreshCount]
    ) {
        fresh.add(written)
        if !batch.isEmpty {
            writes += 1
            isNoted = true
        }
        pending.removeFirst(batch.count)
        waiting -= batch.reduce(0) { $0 + $1.batch.count }
        lastAcknowledged = last
    }
}
