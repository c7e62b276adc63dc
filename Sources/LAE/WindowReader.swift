import Samples
import VM

/// Computes the samples of a virtual sensor, window by window, when they are read.
///
/// A window that has ended has one sample at its end, unless none of the inputs has samples in it or
/// one of the outputs is not defined. Memory is bounded by a slab of windows.
struct WindowReader: Sendable {
    /// The most windows that are computed together.
    private static let slab: Int64 = 1024
    /// The same after empty windows.
    private static let step: Int64 = 16
    /// Far beyond every clock, and far from overflow.
    private static let times = TimeRange(
        from: Timestamp(microseconds: -1 << 61), to: Timestamp(microseconds: 1 << 61))

    let samples: SampleReading
    let computation: WindowComputation
    /// The fields of the virtual sensor.
    let fields: [Field]
    /// Windows that end later are not computed.
    let now: Timestamp
    let budget: WindowBudget

    private var grid: WindowGrid { computation.pipeline.windows }

    /// - Throws: `LAEError` with `tooManyWindows` or `tooManyRows`, and whatever reading throws.
    func batch(_ query: SampleQuery) async throws -> StoredBatch {
        var made = StoredBatch(of: fields)
        guard let all = try await windows(query) else { return made }
        var (low, high) = (all.lowerBound, all.upperBound)
        var width = min(Self.slab, Int64(clamping: query.limit))
        while made.count < query.limit, low <= high {
            try Task.checkCancellation()
            let isAscending = query.order == .ascending
            let part =
                isAscending
                ? low...min(high, low + width - 1) : max(low, high - width + 1)...high
            let slab = try await computation.slab(part, budget)
            // Empty windows cost next to nothing.
            try await budget.spend(windows: slab.isEmpty ? 1 : part.count)
            made = made.joined(with: stored(slab.samples, query.order))
            if isAscending { low = part.upperBound + 1 } else { high = part.lowerBound - 1 }
            width = min(Self.slab, width * 2)
            guard slab.isEmpty, low <= high else { continue }
            // Nothing was read here: continue at the next sample.
            let rest = grid.span(of: low...high)
            guard let next = try await neighbour(rest, query.order) else { break }
            let holding = grid.windows(holding: next)
            if isAscending {
                low = max(low, holding.lowerBound)
            } else {
                high = min(high, holding.upperBound)
            }
            // Samples are sparse here: the next windows may be empty, too.
            width = min(Self.step, Int64(clamping: query.limit))
        }
        return made[0..<min(query.limit, made.count)]
    }

    // MARK: - Private

    /// The windows of a query that have ended and are near samples of the inputs.
    private func windows(_ query: SampleQuery) async throws -> ClosedRange<Int64>? {
        let range = query.range.intersection(Self.times)
        guard !range.isEmpty, let first = try await neighbour(Self.times, .ascending),
            let last = try await neighbour(Self.times, .descending)
        else { return nil }
        var low = max(
            grid.first(endingFrom: range.from), grid.windows(holding: first).lowerBound)
        var high = min(
            grid.first(endingFrom: range.to) - 1, grid.windows(holding: last).upperBound,
            grid.last(endingBy: now))
        if let after = query.after, !Self.times.contains(after.time) {
            // Every window is on one side of it.
            let isBefore = after.time < Self.times.from
            if isBefore != (query.order == .ascending) { return nil }
        } else if let after = query.after {
            // The sample of a window has the sequence number 0.
            if query.order == .ascending {
                low = max(
                    low,
                    after.sequence < 0
                        ? grid.first(endingFrom: after.time) : grid.last(endingBy: after.time) + 1)
            } else {
                high = min(
                    high,
                    after.sequence > 0
                        ? grid.last(endingBy: after.time) : grid.first(endingFrom: after.time) - 1)
            }
        }
        return low <= high ? low...high : nil
    }

    /// The time of the first or last sample of an input in a range.
    private func neighbour(
        _ range: TimeRange, _ order: SampleQuery.Order
    ) async throws -> Timestamp? {
        var found: [Timestamp] = []
        for input in computation.inputs {
            let query = SampleQuery(
                sensor: input.sensor, fields: input.fields, range: range, order: order, limit: 1)
            found += try await samples.batch(query).samples.times
        }
        return order == .ascending ? found.min() : found.max()
    }

    private func stored(
        _ samples: [WindowComputation.Made], _ order: SampleQuery.Order
    ) -> StoredBatch {
        let samples = order == .ascending ? samples : samples.reversed()
        return StoredBatch(
            // Their times are unique, so they need no sequence numbers.
            sequences: samples.map { _ in 0 },
            samples: SampleBatch(
                times: samples.map { grid.end(of: $0.window) },
                columns: fields.indices.map { place in .numbers(samples.map { $0.values[place] }) }
            ))
    }
}
