public import Samples
public import Statistics

extension SampleStore {
    /// The samples that match, in the query's order, in columns.
    ///
    /// Samples of a sensor that is not registered do not match. Damaged samples are excluded and reported by
    /// ``damage(of:in:)``.
    public func batch(_ query: SampleQuery) async throws(SampleStoreError) -> StoredBatch {
        // The newest sample, which is requested most often, is in memory.
        if query.isForNewest, let newest = newest(of: query.sensor, with: query.fields),
            let fields = query.fields ?? fields(of: query.sensor),
            query.range.contains(newest.time)
        {
            var builder = BatchBuilder(fields)
            builder.append(newest)
            return builder.take()
        }
        let source = source(of: query.sensor, fields: query.fields) { position in
            guard query.range.contains(position.time) else { return false }
            guard let after = query.after else { return true }
            return query.order.isBefore(after, position)
        }
        guard let source else { return StoredBatch(of: query.fields ?? []) }
        do {
            let result = try await RangeReader(file.pool).read(query, source)
            damageLog.record(result.damage, of: query.sensor)
            return result.batch
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The samples that match, in the query's order.
    ///
    /// ```swift
    /// let page = try await store.samples(SampleQuery(sensor: "cpu", range: lastHour, limit: 100))
    /// ```
    public func samples(_ query: SampleQuery) async throws(SampleStoreError) -> [StoredSample] {
        let batch = try await batch(query)
        return (0..<batch.count).map { batch[$0] }
    }

    /// The samples of a sensor after a sequence number, in the order of sequence numbers.
    ///
    /// - Parameters:
    ///   - fields: the fields to return; `nil` for the sensor's current fields.
    ///   - sequence: 0 for all samples.
    ///   - limit: the maximum number of samples, at least 1.
    public func arrivals(
        of sensor: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> [StoredSample] {
        try await arrivalPage(of: sensor, fields: fields, after: sequence, limit: limit).samples
    }

    /// The samples of a sensor after a sequence number, and the ranges in which some are damaged.
    ///
    /// The parameters are those of ``arrivals(of:fields:after:limit:)``.
    public func arrivalPage(
        of sensor: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> ArrivalPage {
        guard sequence < lastSequence,
            let source = source(
                of: sensor, fields: fields, where: { $0.sequence > sequence })
        else { return ArrivalPage(samples: [], damage: []) }
        do {
            let result = try await RangeReader(file.pool).arrivals(
                after: sequence, limit: max(1, limit), source)
            damageLog.record(result.damage, of: sensor)
            return ArrivalPage(
                samples: (0..<result.batch.count).map { result.batch[$0] },
                damage: result.damage.joined)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// Summaries of numeric fields of a sensor, one for each window of the query.
    ///
    /// The cost is proportional to the number of windows and chunks, not of samples.
    ///
    /// ```swift
    /// let load = Field("load", unit: "%")
    /// let hours = try await store.summaries(
    ///     SummaryQuery(sensor: "cpu", fields: [load], range: day, step: 3_600_000_000))
    /// let means = hours.map { $0.fields[0].moments.mean }
    /// ```
    public func summaries(
        _ query: SummaryQuery
    ) async throws(SampleStoreError) -> [WindowSummary] {
        let source = source(of: query.sensor, fields: query.fields) {
            query.range.contains($0.time)
        }
        guard let source else {
            return Array(repeating: WindowSummary(query), count: query.windowCount)
        }
        do {
            let (windows, damage) = try await SummaryReader(file.pool).summaries(query, source)
            damageLog.record(damage, of: query.sensor)
            return windows
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The part of a range in which samples were pruned and hourly summaries exist; `nil` for none.
    ///
    /// - Parameter fields: the fields that the summaries must have.
    public func summarised(
        _ sensor: SensorID, fields: [Field], in range: TimeRange
    ) async throws(SampleStoreError) -> TimeRange? {
        guard let projections = projections(of: sensor, to: fields) else { return nil }
        do {
            return try await SummaryReader(file.pool).summarised(in: range, projections)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// Reduces the numbers of one field, block by block and in no particular order.
    ///
    /// ```swift
    /// let sum = try await store.reduce(field, of: "cpu", in: range, into: 0.0) { sum, numbers in
    ///     for number in numbers { sum += number }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - field: a numeric field, matched as ``SampleQuery/fields``.
    ///   - body: updates the state with a run of numbers; the buffer is valid only during the call.
    public func reduce<State: Sendable>(
        _ field: Field, of sensor: SensorID, in range: TimeRange, into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws(SampleStoreError) -> State {
        let source = source(of: sensor, fields: [field]) { range.contains($0.time) }
        guard let source else { return initial }
        do {
            let (state, damage) = try await SummaryReader(file.pool).reduce(
                range, source, into: initial, body)
            damageLog.record(damage, of: sensor)
            return state
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// The time ranges in which samples of a sensor are known to be damaged, sorted; ``TimeRange/all`` when
    /// their times are unknown.
    ///
    /// Damage is found when samples are read, and remembered until the store is closed. Damage that was found
    /// while sealing is remembered in the file.
    /// - Parameter range: only ranges that intersect it.
    public func damage(of sensor: SensorID, in range: TimeRange = .all) -> [TimeRange] {
        damageLog.damage(of: sensor, in: range)
    }

    /// The time ranges in which samples of each sensor are known to be damaged.
    public var knownDamage: [SensorID: [TimeRange]] { damageLog.all }
}

extension SampleQuery {
    /// Whether it selects the last sample only.
    fileprivate var isForNewest: Bool { order == .descending && limit == 1 && after == nil }
}
