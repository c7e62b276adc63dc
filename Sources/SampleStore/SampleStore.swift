public import Samples

/// Samples of every sensor in one SQLite file.
///
/// A sample is *accepted* when `append` returns: every read from then on sees it. It is
/// *acknowledged* when `flush` returns: it then survives the death of the process. Order is by time,
/// then by arrival. The actor owns the file; no other code knows its format.
public actor SampleStore {
    /// Accepted samples that may wait for the file before further ones are refused.
    public static let bufferLimit = 200_000

    private let file: SampleFile
    private var series: [SensorID: Series] = [:]
    private var refused: Set<SensorID> = []
    private var pending: [SampleFile.Entry] = []
    private var flight: Task<Void, any Error>?
    private var lastAccepted: Int64
    private var lastAcknowledged: Int64
    private var dropped = 0
    private var failure: String?

    /// What the store knows of one sensor.
    private struct Series {
        let row: Int64
        var current: Layout
        var layouts: [Int64: Layout]
        var newest: StoredSample?
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextListener = 0
    }

    /// Opens the file, makes it when it is not there, and brings its schema up to date.
    public init(path: String) async throws(SampleStoreError) {
        do {
            file = try SampleFile(path: path)
            lastAcknowledged = try await file.lastSequence()
            lastAccepted = lastAcknowledged
        } catch {
            throw SampleStoreError(wrapping: error, while: "opening \(path)")
        }
    }

    /// Makes the sensor known, with the fields that its samples have from now on.
    public func register(_ sensor: SensorID, fields: [Field]) async throws(SampleStoreError) {
        if series[sensor]?.current.fields == fields { return }
        do {
            let (row, layout) = try await file.register(sensor, fields: fields)
            let layouts = try await file.layouts(of: row)
            let query = SampleQuery(sensor: sensor, order: .descending, limit: 1)
            let newest = try await file.read(query, sensor: row, layouts: layouts).first
            // Another registration may have come first while this one waited.
            var known = series[sensor] ?? Series(row: row, current: layout, layouts: layouts)
            known.current = layout
            known.layouts.merge(layouts) { $1 }
            known.newest = known.newest ?? newest
            series[sensor] = known
        } catch {
            throw SampleStoreError(wrapping: error, while: "registering \(sensor)")
        }
    }

    /// Accepts samples, all or none.
    ///
    /// - Returns: the arrival number of the last one; `nil` when the sensor is not admitted, or when
    ///   the buffer is full and the samples were counted as dropped.
    /// - Throws: `invalid` when the sensor is not registered or a value does not fit its field.
    @discardableResult
    public func append(
        _ samples: [Sample], to sensor: SensorID
    ) throws(SampleStoreError) -> Int64? {
        guard var known = series[sensor] else {
            throw SampleStoreError(.invalid, "The sensor \(sensor) is not registered.")
        }
        for sample in samples {
            try check(sample, against: known.current, of: sensor)
        }
        guard !refused.contains(sensor) else { return nil }
        guard pending.count + samples.count <= Self.bufferLimit else {
            dropped += samples.count
            return nil
        }
        for sample in samples {
            lastAccepted += 1
            let stored = StoredSample(sequence: lastAccepted, sample: sample)
            pending.append(
                SampleFile.Entry(sensor: known.row, layout: known.current.id, stored: stored))
            if known.newest.map({ $0.time <= stored.time }) ?? true { known.newest = stored }
        }
        series[sensor] = known
        for listener in known.listeners.values { listener.yield() }
        return lastAccepted
    }

    /// Whether samples of a sensor are accepted; when this returns, no further one is that should not.
    public func admit(_ isAdmitted: Bool, _ sensor: SensorID) {
        if isAdmitted {
            refused.remove(sensor)
        } else {
            refused.insert(sensor)
        }
    }

    /// Returns when every sample accepted before the call survives the death of the process.
    public func flush() async throws(SampleStoreError) {
        let target = lastAccepted
        while lastAcknowledged < target {
            let write = flight ?? beginFlight()
            do {
                try await write.value
            } catch {
                throw SampleStoreError(wrapping: error, while: "writing samples")
            }
        }
    }

    /// The samples that match, in the query's order.
    public func samples(_ query: SampleQuery) async throws(SampleStoreError) -> [StoredSample] {
        guard let known = series[query.sensor] else { return [] }
        let buffered = buffered(of: known, query)
        do {
            let stored = try await file.read(query, sensor: known.row, layouts: known.layouts)
            return merge(stored, buffered, query)
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading \(query.sensor)")
        }
    }

    /// The samples of a sensor that arrived after `sequence`, in the order of arrival.
    public func arrivals(
        of sensor: SensorID, after sequence: Int64, limit: Int
    ) async throws(SampleStoreError) -> [StoredSample] {
        guard let known = series[sensor] else { return [] }
        let buffered = pending.lazy
            .filter { $0.sensor == known.row && $0.stored.sequence > sequence }
            .map(\.stored).prefix(limit)
        let waiting = Array(buffered)
        do {
            let stored = try await file.arrivals(
                of: known.row, after: sequence, limit: limit, layouts: known.layouts)
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

    /// Yields after samples of the sensor were accepted; several arrivals may be told as one.
    public func arrivalSignals(of sensor: SensorID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let number = series[sensor]?.nextListener else {
            continuation.finish()
            return stream
        }
        series[sensor]?.nextListener += 1
        series[sensor]?.listeners[number] = continuation
        continuation.onTermination = { _ in
            Task { await self.forget(listener: number, of: sensor) }
        }
        return stream
    }

    /// The arrival number of the last accepted sample.
    public var lastSequence: Int64 { lastAccepted }

    public var status: StoreStatus {
        StoreStatus(
            acknowledged: lastAcknowledged, buffered: pending.count, dropped: dropped,
            bytes: file.size(), failure: failure)
    }

    /// The collection level that was kept for each sensor, as text the caller understands.
    public func keptLevels() async throws(SampleStoreError) -> [String: String] {
        do {
            return try await file.settings()
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading the collection levels")
        }
    }

    public func keep(level: String, of sensor: SensorID) async throws(SampleStoreError) {
        do {
            try await file.keep(setting: level, for: sensor.description)
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping the level of \(sensor)")
        }
    }

    /// Acknowledges everything, ends every stream and lets go of the file.
    public func close() async throws(SampleStoreError) {
        try await flush()
        for known in series.values {
            for listener in known.listeners.values { listener.finish() }
        }
        do {
            try await file.close()
        } catch {
            throw SampleStoreError(wrapping: error, while: "closing")
        }
    }

    // MARK: - Private

    private func check(
        _ sample: Sample, against layout: Layout, of sensor: SensorID
    ) throws(SampleStoreError) {
        guard sample.values.count == layout.fields.count else {
            throw SampleStoreError(
                .invalid,
                "\(sensor) has \(layout.fields.count) fields; the sample has \(sample.values.count)."
            )
        }
        for (value, field) in zip(sample.values, layout.fields) where !value.fits(field.kind) {
            throw SampleStoreError(
                .invalid, "A value of \(sensor) is not a \(field.kind.rawValue): \(field.name).")
        }
    }

    /// Writes all that is pending in one transaction; later arrivals go with the next flight.
    private func beginFlight() -> Task<Void, any Error> {
        let batch = pending
        let flight = Task {
            defer { self.flight = nil }
            do {
                try await file.write(batch)
            } catch {
                failure = SampleStoreError(wrapping: error, while: "writing samples").message
                throw error
            }
            pending.removeFirst(batch.count)
            lastAcknowledged = batch.last?.stored.sequence ?? lastAcknowledged
            failure = nil
        }
        self.flight = flight
        return flight
    }

    private func buffered(of known: Series, _ query: SampleQuery) -> [StoredSample] {
        pending.lazy
            .filter { $0.sensor == known.row && query.range.contains($0.stored.time) }
            .map(\.stored)
            .filter { sample in
                guard let after = query.after else { return true }
                return query.order.places(after, before: .init(of: sample))
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

    private func forget(listener: Int, of sensor: SensorID) {
        series[sensor]?.listeners[listener] = nil
    }
}

extension SampleQuery.Order {
    fileprivate func places(
        _ left: SampleQuery.Position, before right: SampleQuery.Position
    ) -> Bool {
        let ascending = (left.time, left.sequence) < (right.time, right.sequence)
        return self == .ascending ? ascending : !ascending && left != right
    }
}
