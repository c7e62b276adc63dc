public import Samples

extension SampleStore {
    /// The samples that match, in the query's order.
    public func samples(_ query: SampleQuery) async throws(SampleStoreError) -> [StoredSample] {
        guard let known = series[query.sensor] else { return [] }
        // What is asked for most often is known without the file.
        if query.isForNewest, let newest = known.newest(with: query.fields),
            query.range.contains(newest.time)
        {
            return [newest]
        }
        let buffered = buffered(of: known, query)
        do {
            let stored = try await file.read(
                query, sensor: known.row, known.projections(for: query.fields))
            return merge(stored, buffered, query)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The samples of a sensor that arrived after `sequence`, in the order of arrival.
    ///
    /// - Parameters:
    ///   - fields: the fields to see the samples with; `nil` for those the sensor has now.
    ///   - limit: the most samples to return, at least 1.
    public func arrivals(
        of sensor: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> [StoredSample] {
        guard let known = series[sensor] else { return [] }
        let limit = max(1, limit)
        let projections = known.projections(for: fields)
        let buffered = pending.lazy
            .filter { $0.sensor == known.row && $0.stored.sequence > sequence }
            .compactMap { entry in projections[entry.layout].map { $0(entry.stored) } }
        let waiting = Array(buffered.prefix(limit))
        do {
            let stored = try await file.arrivals(
                of: known.row, after: sequence, limit: limit, projections)
            let last = stored.last?.sequence ?? sequence
            return Array((stored + waiting.filter { $0.sequence > last }).prefix(limit))
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

    func buffered(of known: SensorSeries, _ query: SampleQuery) -> [StoredSample] {
        let projections = known.projections(for: query.fields)
        return pending.lazy
            .filter { $0.sensor == known.row && query.range.contains($0.stored.time) }
            .compactMap { entry in projections[entry.layout].map { $0(entry.stored) } }
            .filter { sample in
                guard let after = query.after else { return true }
                return query.order.places(after, before: .init(of: sample))
            }
    }

    /// A damaged sample must not keep its sensor from being collected.
    func newest(
        _ query: SampleQuery, of known: SensorSeries
    ) async throws -> [StoredSample] {
        do {
            return try await file.read(query, sensor: known.row, known.projections(for: nil))
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "reading the newest sample")
            guard wrapped.code == .damaged else { throw wrapped }
            return []
        }
    }

    /// A buffered sample may have reached the file while the file was read: it counts once.
    private func merge(
        _ stored: [StoredSample], _ buffered: [StoredSample], _ query: SampleQuery
    ) -> [StoredSample] {
        guard !buffered.isEmpty else { return stored }
        let known = Set(stored.lazy.map(\.sequence))
        let all = stored + buffered.filter { !known.contains($0.sequence) }
        let sorted = all.sorted { query.order.places(.init(of: $0), before: .init(of: $1)) }
        return Array(sorted.prefix(query.limit))
    }
}

extension SampleQuery {
    /// Whether it asks for one sample, the last.
    fileprivate var isForNewest: Bool { order == .descending && limit == 1 && after == nil }
}

extension SampleQuery.Order {
    fileprivate func places(
        _ left: SampleQuery.Position, before right: SampleQuery.Position
    ) -> Bool {
        let ascending = (left.time, left.sequence) < (right.time, right.sequence)
        return self == .ascending ? ascending : !ascending && left != right
    }
}
