import Samples

extension SampleStore {
    /// Makes chunks of what is fresh once that is enough for one, or lies in too many rows.
    func sealIfDue(_ layout: Layout) {
        guard !upkeep.isClosing, fresh.beginPacking(layout.id, file.rules) else { return }
        _ = queue.add { try await self.sealDue(layout) }
    }

    private func sealDue(_ layout: Layout) async throws {
        var hasSealed = false
        do {
            defer { fresh.endPacking(layout.id) }
            hasSealed = try await seal(layout)
        } catch {
            failure = SampleStoreError(wrapping: error, while: "packing samples").message
            throw error
        }
        // One plan takes a few chunks, and a fast source has brought more than that meanwhile.
        if hasSealed { sealIfDue(layout) }
    }

    /// Makes chunks of all fresh samples of a layout, as the next work on chunks.
    func sealAll(_ layout: Layout) async throws {
        while try await queue.add({ try await self.seal(layout) }).value {}
    }

    /// Only for work that nothing else on chunks goes on beside.
    ///
    /// - Returns: whether there was anything to pack.
    func seal(_ layout: Layout) async throws -> Bool {
        let sealed = try await file.seal(layout)
        fresh.remove(sealed, of: layout.id)
        guard sealed.samples > 0 else { return false }
        try await file.group(layout)
        return true
    }

    /// Counts what was taken out of fresh samples.
    func forgetFresh(_ layout: Layout, _ taken: ForgetPlan.Taken) {
        fresh.remove(taken.fresh, of: layout.id)
    }
}
