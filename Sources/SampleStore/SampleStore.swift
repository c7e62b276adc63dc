public import Samples

/// Samples of every sensor in one SQLite file.
///
/// A sample is *accepted* when `append` returns: every read from then on sees it. It is
/// *acknowledged* when `flush` returns: it then survives the death of the process. Order is by time,
/// then by arrival. The actor owns the file; no other code knows its format.
///
/// When the fields of a sensor change, its older samples stay. A read matches them to the fields it
/// asks for by name and unit: columns are reordered, those not asked for are left out, an integer
/// becomes a number, states and texts stand for each other. A sample that lacks a field that is
/// asked for is not read; it is again when the sensor has its former fields.
public actor SampleStore {
    /// Accepted samples that may wait for the file before further ones are refused.
    public static let bufferLimit = 200_000

    let file: SampleFile
    var series: [SensorID: SensorSeries] = [:]
    private var refused: Set<SensorID> = []
    var pending: [SampleFile.Entry] = []
    private var flight: Task<Void, any Error>?
    private var lastAccepted: Int64
    private var lastAcknowledged: Int64
    private let numbering: SampleFile.Numbering
    private var dropped = 0
    private var writes = 0
    private var failure: String?

    /// Opens the file, makes it when it is not there, and brings its schema up to date.
    public init(path: String) async throws(SampleStoreError) {
        do {
            file = try SampleFile(path: path)
            numbering = try await file.begin(reserve: Int64(Self.bufferLimit))
            lastAcknowledged = numbering.last
            lastAccepted = numbering.last
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
            var past = SensorSeries(row: row, current: layout)
            past.change(to: layout, among: layouts)
            let latest = SampleQuery(sensor: sensor, order: .descending, limit: 1)
            let waiting = buffered(of: past, latest)
            let stored = try await newest(latest, of: past)
            // Another registration may have come first while this one waited.
            var known = series[sensor] ?? past
            known.change(to: layout, among: layouts)
            known.recall(stored + waiting)
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
            let entry = SampleFile.Entry(
                sensor: known.row, layout: known.current.id, stored: stored)
            pending.append(entry)
            known.accept(entry)
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
            accepted: lastAccepted - numbering.skipped, acknowledged: lastAcknowledged,
            buffered: pending.count, dropped: dropped, writes: writes, bytes: file.size(),
            failure: failure)
    }

    /// The collection level that was kept for each sensor, as text the caller understands.
    public func keptLevels() async throws(SampleStoreError) -> [String: String] {
        do {
            return try await file.settings()
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading the collection levels")
        }
    }

    /// Keeps a level for all of the sensors or for none.
    public func keep(level: String, of sensors: [SensorID]) async throws(SampleStoreError) {
        do {
            try await file.keep(setting: level, for: sensors.map(\.description))
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping a collection level")
        }
    }

    /// Acknowledges everything, ends every stream and lets go of the file.
    ///
    /// - Throws: what kept accepted samples from being written; the file is let go of all the same.
    public func close() async throws(SampleStoreError) {
        var failure: SampleStoreError?
        do {
            try await flush()
        } catch {
            failure = error
        }
        for known in series.values {
            for listener in known.listeners.values { listener.finish() }
        }
        do {
            try await file.close(endingAt: pending.isEmpty ? lastAccepted : nil)
        } catch {
            failure = failure ?? SampleStoreError(wrapping: error, while: "closing")
        }
        if let failure { throw failure }
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
                try await file.write(batch, numbering)
            } catch {
                failure = SampleStoreError(wrapping: error, while: "writing samples").message
                throw error
            }
            writes += 1
            pending.removeFirst(batch.count)
            lastAcknowledged = batch.last?.stored.sequence ?? lastAcknowledged
            failure = nil
        }
        self.flight = flight
        return flight
    }

    private func forget(listener: Int, of sensor: SensorID) {
        series[sensor]?.listeners[listener] = nil
    }
}
