import Samples
import VM

/// Computes the samples of a virtual sensor, window by window, when they are read.
///
/// A window that has ended has one sample at its end, unless none of the inputs has samples in it
/// or one of the outputs is not defined. Memory is bounded by a block of windows.
struct WindowReader: Sendable {
    /// The maximum number of windows that are computed together.
    private static let block: Int64 = 1024
    /// The number of windows computed together after empty ones.
    private static let step: Int64 = 16
    /// Times far beyond every clock, but without risk of overflow.
    private static let times = TimeRange(
        from: Timestamp(microseconds: -1 << 61), to: Timestamp(microseconds: 1 << 61))

    let samples: SampleReading
    let computation: WindowComputation
    /// The fields of the virtual sensor.
    let fields: [Field]
    /// The current time; windows that end later are not computed.
    let now: Timestamp
    let budget: WindowBudget

    private var grid: WindowGrid { computation.pipeline.windows }

    /// - Throws: `LAEError` with `tooManyWindows` or `tooManyRows`, and errors of reading the
    ///   samples.
    func batch(_ query: SampleQuery) async throws -> StoredBatch {
        var result = StoredBatch(of: fields)
        guard let all = try await windows(query) else { return result }
        var (low, high) = (all.lowerBound, all.upperBound)
        var width = min(Self.block, Int64(clamping: query.limit))
        while result.count < query.limit, low <= high {
            try Task.checkCancellation()
            let isAscending = query.order == .ascending
            let part =
                isAscending
                ? low...min(high, low + width - 1) : max(low, high - width + 1)...high
            let block = try await computation.block(part, budget)
            // A block of empty windows counts as one window, because no samples were read for it.
            try await budget.spend(windows: block.isEmpty ? 1 : part.count)
            result = result.joined(with: stored(block.samples, query.order))
            if isAscending { low = part.upperBound + 1 } else { high = part.lowerBound - 1 }
            width = min(Self.block, width * 2)
            guard block.isEmpty, low <= high else { continue }
            // No samples were read, so continue at the next one.
            let rest = grid.span(of: low...high)
            guard let next = try await neighbour(rest, query.order) else { break }
            let holding = grid.windows(holding: next)
            if isAscending {
                low = max(low, holding.lowerBound)
            } else {
                high = min(high, holding.upperBound)
            }
            // Samples are sparse, so the next windows may be empty, too.
            width = min(Self.step, Int64(clamping: query.limit))
        }
        return result[0..<min(query.limit, result.count)]
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
            // All windows are on one side of such a position.
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
        _ samples: [WindowComputation.WindowSample], _ order: SampleQuery.Order
    ) -> StoredBatch {
        let samples = order == .ascending ? samples : samples.reversed()
        return StoredBatch(
            // Their times are unique, so they need no sequence numbers.
            sequences: samples.map { _ in 0 },
            samples: SampleBatch(
                times: samples.map { grid.end(of: $0.window) },
                columns: fields.indices.map { index in .numbers(samples.map { $0.values[index] }) }
            ))
    }
}
