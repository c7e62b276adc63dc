public import Samples

extension SampleStore {
    /// Removes what the rules let go of, keeps the file within its budget, and gives room back.
    ///
    /// Works in steps of some milliseconds, between which samples are written and packed.
    /// - Parameter now: the moment from which ages count.
    public func maintain(at now: Timestamp) async throws(SampleStoreError) {
        do {
            let kept = try await file.kept()
            for kept in kept where !kept.unreadable.isEmpty { note([.all], of: kept.sensor) }
            var failures: [any Error] = []
            for kept in kept {
                // What is wrong with one sensor keeps no rule of another from being kept.
                do {
                    try await keepToRule(kept, at: now)
                } catch {
                    failures.append(error)
                }
            }
            try await keepToBudget(at: now).value
            for kept in kept { try await reviseDamage(of: kept) }
            if !upkeep.hasErased {
                _ = try await step {
                    try await self.erase()
                    return false
                }
            }
            upkeep.reserve.take(free: file.free())
            if let failure = failures.first { throw failure }
            upkeep.failure = nil
        } catch {
            let failure = SampleStoreError(wrapping: error, while: "making room")
            upkeep.failure = failure.message
            throw failure
        }
    }

    /// The last arrival of a sample of the sensor that is gone; 0 while all are there.
    ///
    /// Who read up to an earlier one may have missed some.
    public func purgedThrough(_ sensor: SensorID) -> Int64 {
        series[sensor].flatMap { upkeep.purged[$0.row] } ?? 0
    }

    /// Removes chunks until the file is within its budget and gives free pages back, unless that
    /// goes on already.
    @discardableResult
    func keepToBudget(at now: Timestamp? = nil) -> Task<Void, any Error> {
        if let clearing = upkeep.clearing { return clearing }
        let task = Task {
            defer { upkeep.clearing = nil }
            do {
                while try await step({ try await self.clearOne(at: now) }) {}
                try await tidy()
            } catch {
                upkeep.failure = SampleStoreError(wrapping: error, while: "making room").message
                throw error
            }
        }
        upkeep.clearing = task
        return task
    }

    // MARK: - Rules

    private func keepToRule(_ kept: SampleFile.Kept, at now: Timestamp) async throws {
        let rule = upkeep.rules.rule(for: kept.sensor)
        let summariesFrom = rule.summaries.map { now.before($0) }
        if let raw = rule.raw {
            try await age(kept, before: now.before(raw), summariesFrom: summariesFrom)
        }
        if let limit = rule.bytes {
            while try await step({
                let usage = try await self.file.kept().first { $0.row == kept.row }?.usage
                guard let usage, usage.bytes > limit else { return false }
                return try await self.purgeOldest(of: kept, summariesFrom: summariesFrom)
            }) {}
        }
        if let summariesFrom {
            while try await step({
                try await self.file.purgeSummaries(of: kept, before: summariesFrom)
            }) {}
        }
    }

    /// Removes samples whose hour lies before the moment, the newest of all excepted.
    private func age(
        _ kept: SampleFile.Kept, before moment: Timestamp, summariesFrom: Timestamp?
    ) async throws {
        let start = Rollup.start(of: moment)
        // Once an hour: sealing makes chunks anew.
        guard upkeep.agedThrough[kept.row].map({ $0 < start }) ?? true else { return }
        for layout in kept.layouts {
            try await sealAll(layout)
            while try await step({
                let newest = try await self.file.newest(of: kept)
                return try await self.purge(
                    PurgePlan.Order(
                        layout: layout, before: start, newest: newest,
                        summariesFrom: summariesFrom))
            }) {}
        }
        upkeep.agedThrough[kept.row] = start
    }

    // MARK: - Budget

    /// The sensor that takes most gives up a little.
    ///
    /// What is beyond an equal share is most where most is taken at all. A sensor whose summaries
    /// take more than its samples gives up summaries.
    private func clearOne(at now: Timestamp?) async throws -> Bool {
        guard try await file.measure().used > file.space.file(within: upkeep.budget) else {
            return false
        }
        // Its pages are as good as free, and no sample goes for them.
        if try await file.giveBackSomeBlank() { return true }
        let sensors = try await file.kept().map { kept in
            (kept: kept, fresh: kept.layouts.reduce(0) { $0 + fresh.bytes(of: $1.id) })
        }
        let most = sensors.sorted {
            $0.kept.usage.total + $0.fresh > $1.kept.usage.total + $1.fresh
        }
        var damage: (any Error)?
        for (kept, unpacked) in most {
            do {
                if try await clearOne(of: kept, unpacked: unpacked, at: now) { return true }
            } catch {
                // What is damaged of one sensor pushes nothing of it out; others still give way.
                let wrapped = SampleStoreError(wrapping: error, while: "making room")
                guard wrapped.code == .damaged else { throw error }
                damage = damage ?? error
            }
        }
        if let damage { throw damage }
        return false
    }

    /// A sensor gives up a little.
    ///
    /// - Returns: whether it had something to give.
    private func clearOne(
        of kept: SampleFile.Kept, unpacked: Int64, at now: Timestamp?
    ) async throws -> Bool {
        for layout in kept.unreadable {
            if try await file.purge(unreadable: layout) > 0 { return true }
        }
        // Only chunks can give way.
        if unpacked > kept.usage.total, try await sealSome(kept) { return true }
        let summaries = upkeep.rules.rule(for: kept.sensor).summaries
        let from = summaries.flatMap { age in now.map { $0.before(age) } }
        if kept.usage.summaryBytes > kept.usage.bytes {
            if try await file.purgeSummaries(of: kept) { return true }
        }
        if try await purgeOldest(of: kept, summariesFrom: from) { return true }
        if try await sealSome(kept) { return true }
        return try await file.purgeSummaries(of: kept)
    }

    /// Makes chunks of some of what is fresh.
    ///
    /// - Returns: whether there was any.
    private func sealSome(_ kept: SampleFile.Kept) async throws -> Bool {
        for layout in kept.layouts where fresh.bytes(of: layout.id) > 0 {
            if try await seal(layout) { return true }
        }
        return false
    }

    // MARK: - Steps

    private func purge(_ order: PurgePlan.Order) async throws -> Bool {
        let isDone = try await file.purge(order)
        if isDone { upkeep.purged = try await file.purged() }
        return isDone
    }

    private func purgeOldest(
        of kept: SampleFile.Kept, summariesFrom: Timestamp?
    ) async throws -> Bool {
        let isDone = try await file.purgeOldest(of: kept, summariesFrom: summariesFrom)
        if isDone { upkeep.purged = try await file.purged() }
        return isDone
    }

    /// One piece of work on chunks.
    private func step(
        _ work: @escaping @Sendable () async throws -> Bool
    ) async throws -> Bool {
        guard !upkeep.isClosing else { return false }
        return try await queue.add { try await self.withReserve(work) }.value
    }

    /// Does the work, with the reserve's room when the disk is full.
    func withReserve<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "making room")
            guard wrapped.code == .full, upkeep.reserve.give() else { throw error }
            return try await work()
        }
    }

    /// Gives free pages back and keeps the log short.
    private func tidy() async throws {
        let limit = file.space.file(within: upkeep.budget)
        var hasShrunk = false
        while try await step({ try await self.file.shrink(to: limit) }) { hasShrunk = true }
        // Only when the log is in the file does the file get smaller.
        if hasShrunk || file.logSize() > file.space.log(within: upkeep.budget)
            || file.size() > upkeep.budget
        {
            try await file.cutLog()
        }
    }

    /// Only for work that nothing else on chunks goes on beside.
    func erase() async throws {
        let isErased = try await file.eraseTraces()
        if isErased { try await file.noteErased() }
        upkeep.hasErased = isErased
    }
}

extension Timestamp {
    fileprivate func before(_ age: Duration) -> Timestamp {
        advanced(byMicroseconds: -age.wholeMicroseconds)
    }
}
