public import Samples
public import Statistics

extension SampleStore {
    /// The samples that match, in the query's order, column by column.
    public func batch(_ query: SampleQuery) async throws(SampleStoreError) -> StoredBatch {
        guard let known = series[query.sensor] else {
            return StoredBatch(of: query.fields ?? [])
        }
        let fields = query.fields ?? known.current.fields
        // What is asked for most often is known without the file.
        if query.isForNewest, let newest = known.newest(with: query.fields),
            query.range.contains(newest.time)
        {
            var builder = BatchBuilder(fields)
            builder.append(newest)
            return builder.take()
        }
        do {
            return try await read(query, fields, known)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The samples that match, in the query's order.
    public func samples(_ query: SampleQuery) async throws(SampleStoreError) -> [StoredSample] {
        let batch = try await batch(query)
        return (0..<batch.count).map { batch[$0] }
    }

    /// The samples of a sensor that arrived after `sequence`, in the order of arrival.
    ///
    /// - Parameters:
    ///   - fields: the fields to see the samples with; `nil` for those the sensor has now.
    ///   - limit: the most samples to return, at least 1.
    public func arrivals(
        of sensor: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> [StoredSample] {
        try await arrivalPage(of: sensor, fields: fields, after: sequence, limit: limit).samples
    }

    /// The same, and where of these samples some are damaged.
    public func arrivalPage(
        of sensor: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> ArrivalPage {
        guard let known = series[sensor], sequence < lastSequence else {
            return ArrivalPage(samples: [], damage: [])
        }
        let seen = fields ?? known.current.fields
        let projections = known.projections(for: fields)
        do {
            let answer = try await file.arrivals(
                after: sequence, limit: max(1, limit), seen, projections,
                waiting: buffered(of: known, seen, projections) { $0.sequence > sequence })
            note(answer.damage, of: sensor)
            return ArrivalPage(
                samples: (0..<answer.batch.count).map { answer.batch[$0] },
                damage: answer.damage.joined)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// Summaries of the numbers of a sensor's fields, of each window of the query.
    ///
    /// The cost grows with the number of windows and of chunks, not with that of samples.
    public func summaries(
        _ query: SummaryQuery
    ) async throws(SampleStoreError) -> [WindowSummary] {
        guard let known = series[query.sensor] else {
            return Array(repeating: WindowSummary(query), count: query.windowCount)
        }
        let projections = known.projections(for: query.fields)
        let waiting = buffered(of: known, query.fields, projections) {
            query.range.contains($0.time)
        }
        do {
            let (windows, damage) = try await file.summaries(query, projections, waiting: waiting)
            note(damage, of: query.sensor)
            return windows
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The stretch of time, within a range, of the samples that are gone and that summaries still tell
    /// of; `nil` when there are none.
    ///
    /// - Parameter fields: those that the summaries are to be of.
    public func summarised(
        _ sensor: SensorID, fields: [Field], in range: TimeRange
    ) async throws(SampleStoreError) -> TimeRange? {
        guard let known = series[sensor] else { return nil }
        do {
            return try await file.summarised(in: range, known.projections(for: fields))
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// Hands the numbers of one field over, stretch by stretch and in no particular order.
    ///
    /// - Parameters:
    ///   - field: a numeric field, seen as `SampleQuery.fields` are.
    ///   - body: takes what was gathered so far and some numbers.
    public func reduce<State: Sendable>(
        _ field: Field, of sensor: SensorID, in range: TimeRange, into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws(SampleStoreError) -> State {
        guard let known = series[sensor] else { return initial }
        let projections = known.projections(for: [field])
        let waiting = buffered(of: known, [field], projections) { range.contains($0.time) }
        do {
            let (state, damage) = try await file.reduce(
                range, projections, waiting: waiting, into: initial, body)
            note(damage, of: sensor)
            return state
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(sensor)")
        }
    }

    /// The sample with the latest time; among equal times the last to arrive.
    public func newest(of sensor: SensorID) -> StoredSample? {
        series[sensor]?.newest
    }

    /// The fields a sensor's samples have now; `nil` when it is not registered.
    public func fields(of sensor: SensorID) -> [Field]? {
        series[sensor]?.current.fields
    }

    // MARK: - Private

    private func read(
        _ query: SampleQuery, _ fields: [Field], _ known: SensorSeries
    ) async throws -> StoredBatch {
        let projections = known.projections(for: query.fields)
        let waiting = buffered(of: known, fields, projections) { position in
            guard query.range.contains(position.time) else { return false }
            guard let after = query.after else { return true }
            return query.order.places(after, before: position)
        }
        let answer = try await file.read(query, fields, projections, waiting: waiting)
        note(answer.damage, of: query.sensor)
        return answer.batch
    }

    /// What was accepted and may not be in the file, in the order of arrival.
    private func buffered(
        of known: SensorSeries, _ fields: [Field], _ projections: [Int64: Projection],
        where isWanted: (SampleQuery.Position) -> Bool
    ) -> StoredBatch {
        var builder = BatchBuilder(fields)
        for entry in pending where entry.sensor == known.row {
            guard let projection = projections[entry.layout.id] else { continue }
            builder.append(projection(entry.batch).filtered { isWanted(entry.batch.position($0)) })
        }
        return builder.take()
    }

    /// A damaged sample must not keep its sensor from being collected.
    func newest(
        _ query: SampleQuery, of known: SensorSeries
    ) async throws -> [StoredSample] {
        do {
            let batch = try await read(query, known.current.fields, known)
            return (0..<batch.count).map { batch[$0] }
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "reading the newest sample")
            guard wrapped.code == .damaged else { throw wrapped }
            return []
        }
    }
}

extension SampleQuery {
    /// Whether it asks for one sample, the last.
    fileprivate var isForNewest: Bool { order == .descending && limit == 1 && after == nil }
}
