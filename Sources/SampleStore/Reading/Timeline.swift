import Foundation
import GRDB
import Samples
import Statistics

/// Combines the spacings of chunks, groups and unsealed samples into the spacings of windows.
///
/// Usually the pieces are disjoint. Where unsealed samples or chunks of another layout overlap a piece, its
/// times are read.
struct Timeline {
    /// Samples with a common summary, all in one window.
    struct Piece {
        enum Origin {
            case chunk(ChunkEntry, Layout)
            case group(ChunkEntry, Layout)
            case rollup
        }

        let origin: Origin
        let from: Timestamp
        let to: Timestamp
        /// The spacing of the samples; `nil` when the summary contains none.
        let spacing: Spacing?
    }

    /// The maximum number of times read for one query.
    private static let readLimit = 1 << 20

    private let query: SummaryQuery
    private var pieces: [Piece] = []
    private var left = readLimit
    private var spacings: [Int: Spacing] = [:]
    private var unknown: Set<Int> = []

    init(_ query: SummaryQuery) {
        self.query = query
    }

    mutating func add(_ piece: Piece) {
        pieces.append(piece)
    }

    /// Sets the spacings of all windows.
    ///
    /// - Parameter unsealed: the sorted times of samples that are in no piece.
    mutating func setSpacings(
        of collected: inout WindowSummaries, _ unsealed: ArraySlice<Timestamp>, _ database: Database
    ) throws {
        try place(pieces.inOrder, unsealed, database)
        for window in Set(spacings.keys).union(unknown) {
            collected.set(
                spacings[window], isWhole: !unknown.contains(window), in: window)
        }
    }

    // MARK: - Private

    /// - Parameter pieces: in order.
    private mutating func place(
        _ pieces: [Piece], _ unsealed: ArraySlice<Timestamp>, _ database: Database
    ) throws {
        var unsealed = unsealed
        var start = 0
        while start < pieces.count {
            // Overlapping pieces are resolved together.
            var (end, to) = (start + 1, pieces[start].to)
            while end < pieces.count, pieces[end].from < to {
                to = max(to, pieces[end].to)
                end += 1
            }
            let from = pieces[start].from
            place(unsealed.take(through: from))
            let within = unsealed.take(through: to.advanced(byMicroseconds: -1))
            if end == start + 1, within.isEmpty, let spacing = pieces[start].spacing {
                place(spacing)
            } else {
                try resolve(pieces[start..<end], within, database)
            }
            start = end
        }
        place(unsealed)
    }

    private mutating func place(_ spacing: Spacing) {
        spacings[query.window(of: spacing.first)].merge(spacing)
    }

    private mutating func place(_ times: ArraySlice<Timestamp>) {
        var rest = times
        while let first = rest.first {
            let end = query.span(of: query.window(of: first)).to
            let own = rest.take(through: end.advanced(byMicroseconds: -1))
            if let spacing = Spacing(own) { place(spacing) }
        }
    }

    /// Resolves pieces that overlap each other or other samples, or have no spacing, by reading their times.
    private mutating func resolve(
        _ pieces: ArraySlice<Piece>, _ unsealed: ArraySlice<Timestamp>, _ database: Database
    ) throws {
        guard let first = pieces.first else { return }
        var parts: [Piece] = []
        var hasGroups = false
        for piece in pieces {
            if case .group(let entry, let layout) = piece.origin {
                parts += try Self.chunks(of: entry, layout, database)
                hasGroups = true
            } else {
                parts.append(piece)
            }
        }
        if hasGroups { return try place(parts.inOrder, unsealed, database) }
        let window = query.window(of: first.from)
        guard let times = try times(of: pieces, database) else {
            // The times of pruned samples are lost; the known spacings are merged.
            let isKnown = pieces.allSatisfy { $0.spacing != nil }
            if !isKnown { unknown.insert(window) }
            for piece in pieces { spacings[window].merge(piece.spacing) }
            return place(unsealed)
        }
        place((times + unsealed).sorted()[...])
    }

    /// - Returns: `nil` when some cannot be read, or they are too many.
    private mutating func times(
        of pieces: ArraySlice<Piece>, _ database: Database
    ) throws -> [Timestamp]? {
        var times: [Timestamp] = []
        for piece in pieces {
            guard case .chunk(let entry, let layout) = piece.origin, entry.count <= left else {
                return nil
            }
            left -= entry.count
            let read = try? ChunkTable.withTimes(of: entry, layout, database) { column in
                let low = column.firstRow(atOrAfter: piece.from.microseconds)
                let high = column.firstRow(
                    atOrAfter: piece.to.advanced(byMicroseconds: 1).microseconds)
                return column.values(low..<max(low, high)).map(Timestamp.init(microseconds:))
            }
            guard let read else { return nil }
            times += read
        }
        return times
    }

    private static func chunks(
        of group: ChunkEntry, _ layout: Layout, _ database: Database
    ) throws -> [Piece] {
        let statement = try database.cachedStatement(
            sql: "SELECT \(ChunkEntry.columns), summary FROM chunk WHERE groupID = ?")
        return try Row.fetchAll(statement, arguments: [group.id]).map { row in
            let entry = try ChunkEntry(row)
            let summary = try? row.withUnsafeData(atIndex: 6) { data in
                try ChunkSummary(data ?? Data(), layout.fields, entry, hasSketch: false)
            }
            return Piece(
                origin: .chunk(entry, layout), from: entry.from.time, to: entry.to.time,
                spacing: summary?.spacing)
        }
    }
}

extension [Timeline.Piece] {
    /// Sorted by their first times, which they usually are already.
    fileprivate var inOrder: [Timeline.Piece] {
        for (piece, next) in zip(self, dropFirst()) where next.from < piece.from {
            return sorted { $0.from < $1.from }
        }
        return self
    }
}

extension ArraySlice<Timestamp> {
    /// Removes and returns the sorted times up to and including `time`.
    fileprivate mutating func take(through time: Timestamp) -> ArraySlice<Timestamp> {
        let end = indices.partitioningIndex { self[$0] > time }
        defer { self = self[end...] }
        return self[..<end]
    }
}
