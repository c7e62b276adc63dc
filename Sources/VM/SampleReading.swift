import SampleStore
public import Samples
public import Statistics

/// Reads the samples that a virtual machine has accepted, including those not yet on disk.
///
/// ```swift
/// let page = try await machine.samples.batch(SampleQuery(sensor: "cpu", limit: 100))
/// let newest = await machine.samples.newest(of: "cpu")
/// ```
public struct SampleReading: Sendable {
    let store: SampleStore

    /// The samples that match, in the order of the query.
    ///
    /// - Throws: `storeFailed`.
    public func rows(_ query: SampleQuery) async throws(VirtualMachineError) -> [StoredSample] {
        try await reading { store throws(SampleStoreError) in try await store.samples(query) }
    }

    /// The samples that match, column by column.
    ///
    /// - Throws: `storeFailed`.
    public func batch(_ query: SampleQuery) async throws(VirtualMachineError) -> StoredBatch {
        try await reading { store throws(SampleStoreError) in try await store.batch(query) }
    }

    /// Summaries of the numeric fields of a sensor, one for each window of the query.
    ///
    /// - Throws: `storeFailed`.
    public func summaries(
        _ query: SummaryQuery
    ) async throws(VirtualMachineError) -> [WindowSummary] {
        try await reading { store throws(SampleStoreError) in try await store.summaries(query) }
    }

    /// The time range, within `range`, of samples that were pruned and are still summarised; `nil`
    /// when there are none.
    ///
    /// - Throws: `storeFailed`.
    public func summarised(
        _ id: SensorID, fields: [Field], in range: TimeRange
    ) async throws(VirtualMachineError) -> TimeRange? {
        try await reading { store throws(SampleStoreError) in
            try await store.summarised(id, fields: fields, in: range)
        }
    }

    /// Passes the numbers of one field to `body`, part by part and in no particular order.
    ///
    /// - Parameter body: takes the state so far and some numbers.
    /// - Throws: `storeFailed`.
    public func reduce<State: Sendable>(
        _ field: Field, of id: SensorID, in range: TimeRange, into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws(VirtualMachineError) -> State {
        try await reading { store throws(SampleStoreError) in
            try await store.reduce(field, of: id, in: range, into: initial, body)
        }
    }

    /// The samples accepted after `sequence`, in the order in which they were accepted.
    ///
    /// - Parameter fields: the fields to return; `nil` for the current fields of the sensor.
    /// - Throws: `storeFailed`.
    public func arrivals(
        of id: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(VirtualMachineError) -> ArrivalPage {
        try await reading { store throws(SampleStoreError) in
            try await store.arrivalPage(of: id, fields: fields, after: sequence, limit: limit)
        }
    }

    /// Yields after samples of the sensor were accepted.
    public func arrivalSignals(of id: SensorID) async -> AsyncStream<Void> {
        await store.arrivalSignals(of: id)
    }

    /// Yields after samples of one of the sensors were accepted.
    public func arrivalSignals(of ids: [SensorID]) async -> AsyncStream<Void> {
        await store.arrivalSignals(of: ids)
    }

    /// The last sequence numbers of the store and of some sensors, at one moment.
    public func progress(of ids: [SensorID]) async -> ArrivalProgress {
        await store.progress(of: ids)
    }

    /// How far ahead of the host's clock a sample may be and still count as the newest.
    private static let clockTolerance = Duration.seconds(300)

    /// The sample with the latest timestamp, which may be in the future.
    public func newest(of id: SensorID) async -> StoredSample? {
        await store.newest(of: id)
    }

    /// The sample with the latest timestamp that is not in the future.
    ///
    /// A wrong clock can leave samples with timestamps in the future; see ``isFuture(_:at:)``.
    /// - Throws: `storeFailed`.
    public func newest(
        of id: SensorID, at now: Timestamp
    ) async throws(VirtualMachineError) -> StoredSample? {
        guard let newest = await newest(of: id) else { return nil }
        guard Self.isFuture(newest.time, at: now) else { return newest }
        let range = TimeRange(from: .distantPast, to: Self.end(ofPresent: now))
        return try await rows(
            SampleQuery(sensor: id, range: range, order: .descending, limit: 1)
        ).first
    }

    /// Whether a timestamp lies further in the future than the clocks of a host and its sources differ:
    /// 5 minutes.
    public static func isFuture(_ time: Timestamp, at now: Timestamp) -> Bool {
        time >= end(ofPresent: now)
    }

    /// The time before which samples are not in the future.
    public static func end(ofPresent now: Timestamp) -> Timestamp {
        now.advanced(by: clockTolerance)
    }

    /// The sequence number of the last accepted sample.
    public var lastSequence: Int64 {
        get async { await store.lastSequence }
    }

    /// The highest sequence number of the sensor's pruned or forgotten samples; 0 if there are
    /// none.
    public func prunedThrough(_ id: SensorID) async -> Int64 {
        await store.prunedThrough(id)
    }

    /// The time ranges in which samples of a sensor are damaged and are not read, in order; all of
    /// time where that cannot be determined.
    ///
    /// - Parameter range: only damage that overlaps it.
    public func damage(of id: SensorID, in range: TimeRange) async -> [TimeRange] {
        await store.damage(of: id, in: range)
    }

    private func reading<T: Sendable>(
        _ body: @Sendable (SampleStore) async throws(SampleStoreError) -> T
    ) async throws(VirtualMachineError) -> T {
        do throws(SampleStoreError) {
            return try await body(store)
        } catch {
            throw VirtualMachineError(error)
        }
    }
}
