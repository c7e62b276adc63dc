public import Samples

extension SampleStore {
    /// Removes every trace of what a sensor measured in a range: samples, written or not, and the
    /// summaries of hours that have some.
    ///
    /// It counts for samples accepted before the call. When it returns their bytes are gone from the
    /// file and its log, too, unless the receipt says otherwise. The newest sample is no exception.
    /// - Throws: `invalid` when the store knows no such sensor.
    public func forget(
        _ sensor: SensorID, _ range: TimeRange, at now: Timestamp
    ) async throws(SampleStoreError) -> ForgetReceipt {
        let last = lastAccepted
        do {
            guard let kept = try await file.kept().first(where: { $0.sensor == sensor }) else {
                throw SampleStoreError(.invalid, "Nothing was ever kept of \(sensor).")
            }
            var receipt = ForgetReceipt(sensor: sensor, range: range, time: now)
            receipt.samples = await forgetWaiting(kept, range, through: last)
            let begun = receipt
            // What could not be counted twice is not tried twice: the room is made first.
            if file.free() < upkeep.reserve.size { _ = upkeep.reserve.give() }
            return try await queue.add { try await self.forget(kept, begun, through: last) }.value
        } catch {
            throw SampleStoreError(wrapping: error, while: "forgetting \(sensor)")
        }
    }

    // MARK: - Private

    /// Takes out what has not been written yet.
    ///
    /// - Returns: how many samples that were.
    private func forgetWaiting(
        _ kept: SampleFile.Kept, _ range: TimeRange, through last: Int64
    ) async -> Int {
        await endFlight()
        let before = waiting
        pending = pending.compactMap { entry in
            guard entry.sensor == kept.row else { return entry }
            let (times, sequences) = (entry.batch.samples.times, entry.batch.sequences)
            let rest = entry.batch.filtered {
                !range.contains(times[$0]) || sequences[$0] > last
            }
            waiting -= entry.batch.count - rest.count
            guard !rest.isEmpty || entry.named != nil else { return nil }
            // Its key is kept: who sends it again must not bring back what was forgotten.
            return SampleFile.Entry(
                sensor: entry.sensor, layout: entry.layout, batch: rest, named: entry.named)
        }
        if waiting < before { hasForgottenNumbers = true }
        return before - waiting
    }

    /// Only for work that nothing else on chunks goes on beside.
    private func forget(
        _ kept: SampleFile.Kept, _ begun: ForgetReceipt, through last: Int64
    ) async throws -> ForgetReceipt {
        var receipt = begun
        upkeep.hasErased = false
        for layout in kept.layouts {
            var place: Int64? = .min
            while let row = place {
                let step = try await file.forget(
                    fresh: layout, receipt.range, through: last, behind: row)
                receipt.add(step.taken)
                forgetFresh(layout, step.taken)
                place = step.next
            }
            place = .min
            while let id = place {
                let step = try await file.forget(
                    chunks: layout, receipt.range, through: last, behind: id)
                receipt.add(step.taken)
                place = step.next
            }
            var count: Int
            repeat {
                count = receipt.summaries
                receipt = try await file.forget(summaries: layout, receipt)
            } while receipt.summaries > count
        }
        for layout in kept.unreadable {
            var rows: Int
            repeat {
                rows = try await file.purge(unreadable: layout, isForgotten: true)
                receipt.unreadable += rows
            } while rows > 0
        }
        upkeep.purged = try await file.purged()
        try await reviseDamage(of: kept)
        try await recall(kept.sensor)
        do {
            try await erase()
        } catch {
            // What went cannot be counted again; the receipt says that traces are left.
            upkeep.failure = SampleStoreError(wrapping: error, while: "erasing traces").message
        }
        receipt.isErased = upkeep.hasErased
        return receipt
    }

    /// Finds the newest sample anew.
    private func recall(_ sensor: SensorID) async throws {
        guard let known = series[sensor] else { return }
        series[sensor]?.forgetNewest()
        let latest = SampleQuery(sensor: sensor, order: .descending, limit: 1)
        series[sensor]?.recall(try await newest(latest, of: known))
    }
}

extension ForgetReceipt {
    fileprivate mutating func add(_ taken: ForgetPlan.Taken) {
        samples += taken.samples
        unreadable += taken.unreadable
        bytes += taken.bytes
    }
}
