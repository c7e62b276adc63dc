import Files
import GRDB
public import Samples

/// The work of a store after writes: sealing, pruning, releasing space, and erasing traces.
///
/// A store seals and frees space on its own. Retention rules take effect when ``run(at:)`` is
/// called:
///
/// ```swift
/// try await store.maintenance.setRule(RetentionRule(raw: .seconds(30 * 86_400)), for: "cpu")
/// try await store.maintenance.setBudget(1 << 30)
/// try await store.maintenance.run(at: .now())
/// print(try await store.maintenance.report(at: .now()).bytes)
/// ```
public actor StoreMaintenance {
    /// The smallest budget in bytes; tables and log need some space of their own.
    public static let leastBudget: Int64 = 4 << 20

    /// The stored retention rules.
    public private(set) var retentionRules: RetentionRules
    /// The bytes that file and log may use.
    private(set) var budget: Int64
    /// Whether the traces of everything that was forgotten are erased.
    private(set) var hasErasedTraces: Bool

    private let file: SampleFile
    private let chunkRules: ChunkRules
    private let space: SpaceRules
    private let sealer: ChunkSealer
    private let pruner: SamplePruner
    private let eraser: TraceEraser
    private let retention: RetentionTable
    private let usage: UsageTable
    private let damageLog: DamageLog
    private let reserve: DiskReserve

    private var unsealed: UnsealedTally
    private var shares = ClientShares()
    private var queue = MaintenanceQueue()
    /// The task that frees space for the budget, while it runs.
    private var clearing: Task<Void, any Error>?
    /// The last ``run(at:)``.
    private var running: Task<Result<Void, SampleStoreError>, Never>?
    /// The last sequence number of a pruned sample, by the row of its sensor.
    private var pruned: [Int64: Int64]
    /// The start of the hour up to which samples were pruned by age, by the row of the sensor.
    private var agedThrough: [Int64: Timestamp] = [:]
    private var isClosing = false
    private var failure: String?
    private var sealingFailure: String?

    init(
        _ file: SampleFile, _ chunkRules: ChunkRules, _ space: SpaceRules, _ damageLog: DamageLog
    ) async throws {
        self.file = file
        self.chunkRules = chunkRules
        self.space = space
        self.damageLog = damageLog
        sealer = ChunkSealer(file.pool, chunkRules)
        pruner = SamplePruner(file.pool, space)
        eraser = TraceEraser(file, space)
        retention = RetentionTable(file)
        usage = UsageTable(file.pool)
        unsealed = UnsealedTally(try await UnsealedTable.sizes(file.pool))
        do {
            try await usage.recount()
            try await eraser.releaseBlankPages()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // The disk is full: pruning releases blank pages first, and the next session recounts.
        }
        retentionRules = try await retention.rules()
        budget = try await retention.budget(space)
        pruned = try await retention.prunedThrough()
        hasErasedTraces = try await !eraser.isDue()
        reserve = DiskReserve(path: file.path + "-reserve", size: space.reserve)
        try await file.limitLog(to: space.log(within: budget))
    }

    // MARK: - Retention

    /// Prunes samples by the retention rules, keeps the file within its budget, and releases free
    /// pages.
    ///
    /// Works in steps of some milliseconds, between which samples are written and sealed.
    /// - Parameter now: the time that ages are relative to.
    public func run(at now: Timestamp) async throws(SampleStoreError) {
        guard !isClosing else { return }
        let task = Task { () -> Result<Void, SampleStoreError> in
            do throws(SampleStoreError) {
                return .success(try await maintain(at: now))
            } catch {
                return .failure(error)
            }
        }
        running = task
        try await task.value.get()
    }

    private func maintain(at now: Timestamp) async throws(SampleStoreError) {
        do {
            let sensors = try await usage.sensors()
            for sensor in sensors where !sensor.unreadable.isEmpty {
                damageLog.record([.all], of: sensor.sensor)
            }
            var failures: [any Error] = []
            for sensor in sensors {
                // A fault of one sensor must not keep the others from being pruned.
                do {
                    try await applyRule(to: sensor, at: now)
                } catch {
                    failures.append(error)
                }
            }
            // What is in progress may have begun with an earlier budget.
            while let clearing { _ = await clearing.result }
            try await freeSpace(at: now).value
            for sensor in sensors { try await damageLog.revise(sensor, file.pool) }
            if !hasErasedTraces {
                _ = try await step {
                    try await self.eraseTraces()
                    return false
                }
            }
            reserve.allocate(free: file.free())
            if let failure = failures.first { throw failure }
            failure = nil
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "freeing space")
            failure = wrapped.message
            throw wrapped
        }
    }

    /// Stores a retention rule; the next ``run(at:)`` applies it.
    ///
    /// - Parameters:
    ///   - rule: `nil` to remove the rule of the sensor.
    ///   - sensor: a sensor or a kind; `nil` for the rule of all others.
    public func setRule(_ rule: RetentionRule?, for sensor: SensorID?)
        async throws(SampleStoreError)
    {
        do {
            try await withReserve { try await self.retention.setRule(rule, for: sensor) }
            retentionRules = try await retention.rules()
            agedThrough = [:]
        } catch {
            throw SampleStoreError(wrapping: error, while: "storing a retention rule")
        }
    }

    /// Stores the budget: the bytes that file and log may use.
    ///
    /// - Throws: `invalid` below ``leastBudget``.
    public func setBudget(_ budget: Int64) async throws(SampleStoreError) {
        guard budget >= Self.leastBudget else {
            throw SampleStoreError(
                .invalid, "The budget must be at least \(Self.leastBudget) bytes.")
        }
        do {
            try await withReserve { try await self.retention.setBudget(budget) }
            try await file.limitLog(to: space.log(within: budget))
            self.budget = budget
        } catch {
            throw SampleStoreError(wrapping: error, while: "storing the budget")
        }
    }

    /// The storage that the store and each sensor use, and how long samples will be kept.
    public func report(at now: Timestamp) async throws(SampleStoreError) -> StorageReport {
        do {
            let pages = try await file.space()
            let limit = space.file(within: budget)
            return StorageReport(
                sensors: StorageAccount.report(
                    try await usage.accounts(), retentionRules, at: now, used: pages.used,
                    limit: limit),
                clients: ClientShares.report(try await usageByPublisher(), limit: limit),
                standard: retentionRules.standard, bytes: file.size(), reusable: pages.free,
                budget: budget, free: file.free(), canShrink: pages.canShrink)
        } catch {
            throw SampleStoreError(wrapping: error, while: "measuring the store")
        }
    }

    // MARK: - For the store

    /// Why sealing or the last maintenance failed.
    var status: String? { sealingFailure ?? failure }

    /// The last sequence number of a pruned or forgotten sample of a sensor; 0 for none.
    func prunedThrough(_ sensor: Int64) -> Int64 { pruned[sensor] ?? 0 }

    /// Waits until there is space for a write, and until sealing has caught up with these layouts.
    func admitWrites(to layouts: Set<Int64>) async {
        _ = await clearing?.result
        if layouts.contains(where: { unsealed.isFarBehind($0, chunkRules) }) {
            await queue.end?.value
        }
    }

    /// Bytes by which the log grows when it is synced.
    var logStep: Int64 { space.logStep(within: budget) }

    /// Accounts for written samples, and frees space when the file or the log is too large.
    func didWrite(_ written: SampleWriter.Written) {
        unsealed.add(written.sizes)
        shares.add(written.sizes, limit: space.file(within: budget))
        sealingFailure = nil
        if written.used > space.file(within: budget) || written.log > space.log(within: budget) {
            freeSpace()
        }
    }

    /// Prunes until the file is within its budget and releases free pages, unless that is in
    /// progress.
    @discardableResult
    func freeSpace(at now: Timestamp? = nil) -> Task<Void, any Error> {
        if let clearing { return clearing }
        let task = Task {
            defer { clearing = nil }
            do {
                while try await step({ try await self.freeSome(at: now) }) {}
                try await releasePages()
            } catch {
                failure = SampleStoreError(wrapping: error, while: "freeing space").message
                throw error
            }
        }
        clearing = task
        return task
    }

    /// The sensor in the file, registered or not.
    func stored(_ sensor: SensorID) async throws -> StoredSensor? {
        try await usage.sensors().first { $0.sensor == sensor }
    }

    /// Removes samples and summaries of a sensor from the file and erases their traces.
    ///
    /// - Parameters:
    ///   - initialReceipt: a receipt to which the removals are added.
    ///   - last: the last sequence number to remove.
    ///   - didRemove: is called after the samples are removed and before traces are erased.
    func forget(
        _ sensor: StoredSensor, _ initialReceipt: ForgetReceipt, through last: Int64,
        releasingKeysOf client: String?, didRemove: @escaping @Sendable () async throws -> Void
    ) async throws -> ForgetReceipt {
        try await enqueue {
            try await self.forgetNow(
                sensor, initialReceipt, through: last, releasingKeysOf: client, didRemove: didRemove
            )
        }.value
    }

    /// Releases the reserve if the disk is full.
    ///
    /// The steps of forgetting cannot be repeated without counting twice, so space is made first.
    func makeRoom() {
        if file.free() < reserve.size { _ = reserve.release() }
    }

    /// Finishes the queue and accepts no more work; maintenance ends after its present step.
    func close() async {
        isClosing = true
        await queue.end?.value
        _ = await clearing?.result
        _ = await running?.value
    }

    /// Appends work on chunks to the queue.
    func enqueue<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        queue.add(work)
    }

    /// The end of all work that is in the queue now.
    var queueEnd: Task<Void, Never>? { queue.end }

    // MARK: - Sealing

    /// Seals unsealed rows once they are enough for a chunk, too many, or too large.
    ///
    /// Of layouts that were written together, those that will soon be due are sealed with one that is.
    func sealIfDue(_ layouts: [Layout]) {
        guard !isClosing else { return }
        let due = layouts.filter { unsealed.beginSealing($0.id, chunkRules) }
        guard !due.isEmpty else { return }
        let soon = layouts.filter { unsealed.beginSealing($0.id, chunkRules.soonDue) }
        // A transaction should be a small part of the log.
        let limit = min(space.log(within: budget) / 8, Int64(chunkRules.unsealedBytes))
        var groups: [[Layout]] = []
        var bytes: Int64 = 0
        for layout in due + soon {
            bytes += unsealed.bytes(of: layout.id)
            if groups.isEmpty || bytes > limit {
                groups.append([])
                bytes = unsealed.bytes(of: layout.id)
            }
            groups[groups.count - 1].append(layout)
        }
        for group in groups { _ = enqueue { await self.sealDue(group) } }
    }

    /// Seals all unsealed rows of a layout.
    func sealAll(_ layout: Layout) async throws {
        while try await enqueue({ try await self.seal(layout) }).value {}
    }

    /// Seals as many unsealed rows as one plan takes; to be called by work of the queue only.
    ///
    /// - Returns: whether there were any.
    func seal(_ layout: Layout) async throws -> Bool {
        let sealed = try await sealer.seal(layout)
        unsealed.remove(sealed, of: layout.id)
        guard sealed.samples > 0 else { return false }
        try await sealer.group(layout)
        return true
    }

    private func sealDue(_ layouts: [Layout]) async {
        var sealed: [Layout] = []
        if layouts.count > 1, let sizes = try? await sealer.seal(layouts) {
            for (layout, size) in sizes { unsealed.remove(size, of: layout) }
            sealed = layouts.filter { sizes[$0.id] != nil }
            for layout in sealed {
                await recordSealingFailure { try await self.sealer.group(layout) }
            }
        } else {
            // A fault of one layout must not keep the others from being sealed.
            for layout in layouts {
                await recordSealingFailure {
                    if try await self.seal(layout) { sealed.append(layout) }
                }
            }
        }
        for layout in layouts { unsealed.endSealing(layout.id) }
        // A plan is limited to a few chunks, and a fast source may have produced more meanwhile.
        sealIfDue(sealed)
    }

    private func recordSealingFailure(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            sealingFailure = SampleStoreError(wrapping: error, while: "sealing samples").message
        }
    }

    // MARK: - Pruning

    private func applyRule(to sensor: StoredSensor, at now: Timestamp) async throws {
        let rule = retentionRules.rule(for: sensor.sensor)
        let summariesFrom = rule.summaries.map { now.before($0) }
        if let raw = rule.raw {
            try await prune(sensor, before: now.before(raw), summariesFrom: summariesFrom)
        }
        if let limit = rule.bytes {
            while try await step({
                let usage = try await self.usage.sensors().first { $0.row == sensor.row }?.usage
                guard let usage, usage.bytes > limit else { return false }
                return try await self.pruneOldest(of: sensor, summariesFrom: summariesFrom)
            }) {}
        }
        if let summariesFrom {
            while try await step({
                try await self.pruner.pruneSummaries(of: sensor, before: summariesFrom)
            }) {}
        }
    }

    /// Prunes the hours before a time, except for the newest sample.
    private func prune(
        _ sensor: StoredSensor, before time: Timestamp, summariesFrom: Timestamp?
    ) async throws {
        let start = Rollup.start(of: time)
        // At most once an hour, because sealing rewrites chunks.
        guard agedThrough[sensor.row].map({ $0 < start }) ?? true else { return }
        for layout in sensor.layouts {
            try await sealAll(layout)
            while try await step({
                let newest = try await self.pruner.newest(of: sensor)
                return try await self.prune(
                    SamplePruner.Order(
                        layout: layout, before: start, newest: newest,
                        summariesFrom: summariesFrom))
            }) {}
        }
        agedThrough[sensor.row] = start
    }

    private func prune(_ order: SamplePruner.Order) async throws -> Bool {
        let isDone = try await pruner.prune(order)
        if isDone { pruned = try await retention.prunedThrough() }
        return isDone
    }

    private func pruneOldest(
        of sensor: StoredSensor, summariesFrom: Timestamp?, splitsNewest: Bool = false
    ) async throws -> Bool {
        let isDone = try await pruner.pruneOldest(
            of: sensor, summariesFrom: summariesFrom, splitsNewest: splitsNewest)
        if isDone { pruned = try await retention.prunedThrough() }
        return isDone
    }

    // MARK: - Budget

    /// Prunes a little of a client that uses more than its share, else of the sensor that uses most.
    ///
    /// A sensor whose summaries exceed its samples loses summaries.
    private func freeSome(at now: Timestamp?) async throws -> Bool {
        let limit = space.file(within: budget)
        guard try await file.space().used > limit else { return false }
        // Blank pages can be released without pruning any sample.
        if try await eraser.releaseSomeBlankPages() { return true }
        var damage: (any Error)?
        for candidate in shares.order(try await usageByPublisher(), limit: limit) {
            do {
                if try await freeSome(of: candidate, at: now) { return true }
            } catch {
                // A damaged sensor is skipped; the next one is pruned instead.
                let wrapped = SampleStoreError(wrapping: error, while: "freeing space")
                guard wrapped.code == .damaged else { throw error }
                damage = damage ?? error
            }
        }
        if let damage { throw damage }
        return false
    }

    /// The samples of each sensor and publisher.
    private func usageByPublisher() async throws -> [PublisherUsage] {
        try await usage.byPublisher().map { stored in
            var whole = stored
            whole.unsealed = stored.sensor.layouts.reduce(0) { $0 + unsealed.bytes(of: $1.id) }
            return whole
        }
    }

    /// - Returns: whether there was anything to prune.
    private func freeSome(
        of candidate: ClientShares.Candidate, at now: Timestamp?
    ) async throws -> Bool {
        let sensor = candidate.usage.sensor
        for layout in sensor.unreadable {
            if try await pruner.remove(unreadable: layout) > 0 { return true }
        }
        // Only chunks can be pruned.
        if candidate.usage.unsealed > sensor.usage.total, try await sealSome(of: sensor) {
            return true
        }
        let summaries = retentionRules.rule(for: sensor.sensor).summaries
        let from = summaries.flatMap { age in now.map { $0.before(age) } }
        if sensor.usage.summaryBytes > sensor.usage.bytes {
            if try await pruner.pruneSummaries(of: sensor) { return true }
        }
        let isPruned = try await pruneOldest(
            of: sensor, summariesFrom: from, splitsNewest: candidate.isBeyondShare)
        if isPruned { return true }
        if try await sealSome(of: sensor) { return true }
        return try await pruner.pruneSummaries(of: sensor)
    }

    /// - Returns: whether the sensor had unsealed rows.
    private func sealSome(of sensor: StoredSensor) async throws -> Bool {
        for layout in sensor.layouts where unsealed.bytes(of: layout.id) > 0 {
            if try await seal(layout) { return true }
        }
        return false
    }

    /// Releases free pages and truncates the log.
    private func releasePages() async throws {
        let limit = space.file(within: budget)
        var hasShrunk = false
        while try await step({
            try await self.file.shrink(to: limit, step: self.space.pagesPerStep)
        }) { hasShrunk = true }
        // The file becomes smaller only when the log is checkpointed.
        if hasShrunk || file.logSize() > space.log(within: budget) || file.size() > budget {
            try await file.truncateLog()
        }
    }

    // MARK: - Forgetting

    private func forgetNow(
        _ sensor: StoredSensor, _ initialReceipt: ForgetReceipt, through last: Int64,
        releasingKeysOf client: String?, didRemove: @Sendable () async throws -> Void
    ) async throws -> ForgetReceipt {
        hasErasedTraces = false
        let forgetter = SampleForgetter(file.pool, pruner)
        var receipt = try await forgetter.forget(sensor, initialReceipt, through: last) {
            await self.removeUnsealed($1, of: $0)
        }
        if let client { try await forgetter.releaseKeys(of: client, sensor, through: last) }
        pruned = try await retention.prunedThrough()
        try await damageLog.revise(sensor, file.pool)
        try await didRemove()
        do {
            try await eraseTraces()
        } catch {
            // The removals cannot be counted again; the receipt reports that traces are left.
            failure = SampleStoreError(wrapping: error, while: "erasing traces").message
        }
        receipt.isErased = hasErasedTraces
        return receipt
    }

    private func removeUnsealed(_ size: UnsealedSize, of layout: Int64) {
        unsealed.remove(size, of: layout)
    }

    /// To be called by work of the queue only.
    private func eraseTraces() async throws {
        hasErasedTraces = try await eraser.erase()
    }

    // MARK: - Steps

    /// Runs one step of work on chunks.
    private func step(_ work: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
        guard !isClosing else { return false }
        return try await enqueue { try await self.withReserve(work) }.value
    }

    /// Runs `work`, and again with the reserve released when the disk is full.
    private func withReserve<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "freeing space")
            guard wrapped.code == .full, reserve.release() else { throw error }
            return try await work()
        }
    }
}

extension Timestamp {
    fileprivate func before(_ age: Duration) -> Timestamp {
        advanced(byMicroseconds: -age.wholeMicroseconds)
    }
}
