public import Samples

extension SampleStore {
    /// Accepts samples, all or none.
    ///
    /// - Returns: the arrival number of the last one; `nil` when the sensor is not admitted, or when
    ///   the buffer is full and the samples were counted as dropped.
    /// - Throws: `invalid` when the sensor is not registered or a value does not fit its field.
    @discardableResult
    public func append(
        _ samples: [Sample], to sensor: SensorID
    ) throws(SampleStoreError) -> Int64? {
        let known = try known(sensor)
        for sample in samples {
            guard sample.values.count == known.current.fields.count else {
                throw Self.unsuitable(sensor, known.current, sample.values.count)
            }
        }
        guard let batch = SampleBatch(samples, of: known.current.fields) else {
            throw SampleStoreError(.invalid, "A value of \(sensor) is not of its field's kind.")
        }
        return try append(batch, to: sensor)
    }

    /// Accepts samples, all or none; as `append(_:to:)` of single samples, and many times faster.
    ///
    /// - Parameter named: a key that `receipt` knows from now on, as lastingly as the samples.
    @discardableResult
    public func append(
        _ samples: SampleBatch, to sensor: SensorID, named: (key: BatchKey, at: Timestamp)? = nil
    ) throws(SampleStoreError) -> Int64? {
        var known = try known(sensor)
        try check(samples, against: known.current, of: sensor)
        guard !refused.contains(sensor) else { return nil }
        guard !samples.isEmpty else { return lastAccepted }
        // Also of what was forgotten meanwhile: the next session skips no more numbers than these.
        guard lastAccepted - lastAcknowledged + Int64(samples.count) <= Self.bufferLimit else {
            dropped += samples.count
            return nil
        }
        let first = lastAccepted + 1
        lastAccepted += Int64(samples.count)
        let batch = StoredBatch(sequences: Array(first...lastAccepted), samples: samples)
        var entry = SampleFile.Entry(sensor: known.row, layout: known.current, batch: batch)
        entry.named = named.map { key, time in
            let receipt = BatchReceipt(accepted: samples.count, last: lastAccepted)
            return SampleFile.NamedBatch(key: key, receipt: receipt, noted: time)
        }
        pending.append(entry)
        waiting += samples.count
        known.accept(batch)
        series[sensor] = known
        for listener in known.listeners.values { listener.yield() }
        return lastAccepted
    }

    /// What was answered to the batch that a key was given to, and the digest of that batch; `nil`
    /// when the key is not known, or no longer.
    public func receipt(
        of key: BatchKey, to sensor: SensorID, at time: Timestamp
    ) async throws(SampleStoreError) -> (digest: [UInt8], receipt: BatchReceipt)? {
        let known = try known(sensor)
        let waiting = pending.last { entry in
            entry.sensor == known.row && entry.named?.key.client == key.client
                && entry.named?.key.name == key.name
        }
        if let named = waiting?.named { return (named.key.digest, named.receipt) }
        do {
            return try await file.namedBatch(key, of: known.row, at: time)
        } catch {
            throw SampleStoreError(wrapping: error, while: "looking for a batch")
        }
    }

    // MARK: - Private

    private func known(_ sensor: SensorID) throws(SampleStoreError) -> SensorSeries {
        guard let known = series[sensor] else {
            throw SampleStoreError(.invalid, "The sensor \(sensor) is not registered.")
        }
        return known
    }

    private func check(
        _ samples: SampleBatch, against layout: Layout, of sensor: SensorID
    ) throws(SampleStoreError) {
        guard samples.columns.count == layout.fields.count else {
            throw Self.unsuitable(sensor, layout, samples.columns.count)
        }
        for (column, field) in zip(samples.columns, layout.fields) where !column.fits(field.kind) {
            throw SampleStoreError(
                .invalid, "A value of \(sensor) is not a \(field.kind.rawValue): \(field.name).")
        }
    }

    private static func unsuitable(
        _ sensor: SensorID, _ layout: Layout, _ count: Int
    ) -> SampleStoreError {
        SampleStoreError(
            .invalid, "\(sensor) has \(layout.fields.count) fields; the sample has \(count).")
    }
}
