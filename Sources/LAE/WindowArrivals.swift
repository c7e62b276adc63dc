import Samples
import VM

/// The samples of a virtual sensor in the order in which samples of its inputs closed their windows.
///
/// The first accepted sample of an input whose time is not before the end of a window closes this window,
/// which is then computed; the sample of the window has the sequence number of that sample. So a client that
/// continues after a sequence number gets the same samples again. A window that is closed stays closed: later
/// samples with earlier times change what is read, but nothing is streamed again.
struct WindowArrivals: Sendable {
    /// What the samples of the inputs after a sequence number have closed.
    struct Group: Sendable {
        /// Those of windows that one sample closed have the same sequence number.
        var samples: [StoredSample] = []
        /// The last sequence number that was read.
        var last: Int64
        /// Whether no more samples had arrived.
        var isComplete = true
        /// The end of the last window that could be closed up to ``last``.
        var mark: Timestamp?
    }

    private static let pageSize = 256

    let sensor: SensorID
    let reader: WindowReader

    /// - Parameters:
    ///   - mark: that of the group that ended with `sequence`; it is determined if it is unknown.
    ///   - limit: how many samples of each input are read.
    func group(after sequence: Int64, mark known: Timestamp?, limit: Int) async throws -> Group {
        var arrived: [(sequence: Int64, time: Timestamp)] = []
        var horizon = Int64.max
        for input in reader.computation.inputs {
            let page = try await reader.samples.arrivals(
                of: input.sensor, fields: input.fields, after: sequence, limit: limit)
            arrived += page.samples.map { ($0.sequence, $0.time) }
            if page.samples.count >= limit, let last = page.samples.last {
                horizon = min(horizon, last.sequence)
            }
        }
        arrived = arrived.filter { $0.sequence <= horizon }.sorted { $0.sequence < $1.sequence }
        var group = Group(last: sequence, isComplete: horizon == .max, mark: known)
        guard let last = arrived.last else { return group }
        group.last = last.sequence
        let mark = if let known { known } else { try await self.mark(at: sequence) }
        var closings: [(end: Timestamp, sequence: Int64)] = []
        for sample in arrived {
            // A sample of a wrong clock must not close windows that have not ended.
            let end = min(sample.time, reader.now)
            if end > closings.last?.end ?? mark { closings.append((end, sample.sequence)) }
        }
        group.mark = closings.last?.end ?? mark
        guard let reach = closings.last?.end else { return group }
        let computed = try await reader.batch(
            SampleQuery(
                sensor: sensor,
                range: TimeRange(
                    from: mark == .distantPast ? mark : mark.advanced(byMicroseconds: 1),
                    to: reach.advanced(byMicroseconds: 1)), limit: WindowBudget.windowLimit))
        var closing = closings.startIndex
        for row in 0..<computed.count {
            let sample = computed[row].sample
            while closings[closing].end < sample.time { closing += 1 }
            group.samples.append(
                StoredSample(sequence: closings[closing].sequence, sample: sample))
        }
        return group
    }

    /// The latest time of the samples of the inputs up to a sequence number.
    private func mark(at sequence: Int64) async throws -> Timestamp {
        var latest = Timestamp.distantPast
        for input in reader.computation.inputs {
            var query = SampleQuery(
                sensor: input.sensor, fields: input.fields, order: .descending,
                limit: Self.pageSize)
            search: while true {
                let page = try await reader.samples.batch(query)
                for row in 0..<page.count where page.position(row).sequence <= sequence {
                    latest = max(latest, page.position(row).time)
                    break search
                }
                guard page.count >= query.limit else { break }
                query.after = page.position(page.count - 1)
            }
        }
        return min(latest, reader.now)
    }
}
