public import Samples

extension SampleStore {
    /// What the store takes, what it may take, and what each sensor has of it.
    public func storage(at now: Timestamp) async throws(SampleStoreError) -> StorageReport {
        do {
            let space = try await file.measure()
            let room = file.space.file(within: upkeep.budget)
            let accounts = try await file.accounts()
            let growth = accounts.compactMap(\.bytesPerDay).reduce(0, +)
            let share = room / Int64(max(1, accounts.count))
            let sensors = accounts.map { account in
                let rule = upkeep.rules.rule(for: account.kept.sensor)
                var days = account.daysLeft(rule, at: now)
                // Room is made where more than an equal share is taken.
                if growth > 0, let rate = account.bytesPerDay {
                    let left = max(0, Double(room - space.used) / growth)
                    if Double(account.bytes) + rate * left >= Double(share) {
                        days = min(days ?? left, left)
                    }
                }
                return SensorStorage(
                    sensor: account.kept.sensor, rule: rule, samples: account.samples,
                    bytes: account.bytes, summarised: account.kept.usage.summarised,
                    summaries: account.kept.usage.summaries, oldest: account.oldest,
                    bytesPerDay: account.bytesPerDay, daysLeft: days)
            }
            return StorageReport(
                sensors: sensors.sorted { $0.sensor < $1.sensor }, standard: upkeep.rules.standard,
                bytes: file.size(), reusable: space.free, budget: upkeep.budget,
                free: file.free(), canShrink: space.canShrink)
        } catch {
            throw SampleStoreError(wrapping: error, while: "measuring the store")
        }
    }

    /// Keeps a rule from now on; what it lets go of goes with the next maintenance.
    ///
    /// - Parameters:
    ///   - rule: `nil` takes the sensor's own away.
    ///   - sensor: a sensor or a kind; `nil` for all that have no rule of their own.
    public func keep(
        _ rule: RetentionRule?, for sensor: SensorID?
    ) async throws(SampleStoreError) {
        do {
            try await withReserve { try await self.file.keep(rule, for: sensor) }
            upkeep.rules = try await file.rules()
            upkeep.agedThrough = [:]
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping a rule")
        }
    }

    /// Keeps the bytes that file and log may take.
    ///
    /// - Throws: `invalid` below 4 MiB.
    public func keep(budget: Int64) async throws(SampleStoreError) {
        guard budget >= Self.leastBudget else {
            throw SampleStoreError(.invalid, "A budget is \(Self.leastBudget) bytes at least.")
        }
        do {
            try await withReserve { try await self.file.keep(budget: budget) }
            try await file.limitLog(within: budget)
            upkeep.budget = budget
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping the budget")
        }
    }

    /// The smallest budget: tables and log need some room of their own.
    public static let leastBudget: Int64 = 4 << 20

    public var retentionRules: RetentionRules { upkeep.rules }
}
