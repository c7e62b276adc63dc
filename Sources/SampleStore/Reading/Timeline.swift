import Foundation
import GRDB
import Samples
import Statistics

/// How the moments of the samples that a query counts follow one another, put together from what is
/// known of pieces.
///
/// Pieces lie side by side as a rule. Where samples that are not packed yet, or chunks of another
/// layout, lie within one, its moments are read.
struct Timeline {
    /// Samples that are counted by one summary, or were read together.
    ///
    /// All fall into one window.
    struct Piece {
        enum Origin {
            case chunk(ChunkEntry, Layout)
            case group(ChunkEntry, Layout)
            case rollup
        }

        let origin: Origin
        let from: Timestamp
        let to: Timestamp
        /// `nil` when it is not known from the summary.
        let spacing: Spacing?
    }

    /// Moments that are read for one answer at most.
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

    /// Puts everything in order and tells the windows.
    ///
    /// - Parameter loose: moments of samples that are in no piece, in order.
    mutating func tell(
        _ gathered: inout WindowSummaries, _ loose: ArraySlice<Timestamp>, _ database: Database
    ) throws {
        try place(pieces.inOrder, loose, database)
        for window in Set(spacings.keys).union(unknown) {
            gathered.set(
                spacings[window], isWhole: !unknown.contains(window), in: window)
        }
    }

    // MARK: - Private

    /// - Parameter pieces: in order.
    private mutating func place(
        _ pieces: [Piece], _ loose: ArraySlice<Timestamp>, _ database: Database
    ) throws {
        var loose = loose
        var start = 0
        while start < pieces.count {
            // Those that reach into one another are looked at together.
            var (end, to) = (start + 1, pieces[start].to)
            while end < pieces.count, pieces[end].from < to {
                to = max(to, pieces[end].to)
                end += 1
            }
            let from = pieces[start].from
            place(loose.take(through: from))
            let within = loose.take(through: to.advanced(byMicroseconds: -1))
            if end == start + 1, within.isEmpty, let spacing = pieces[start].spacing {
                place(spacing)
            } else {
                try resolve(pieces[start..<end], within, database)
            }
            start = end
        }
        place(loose)
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

    /// Pieces that reach into one another, or have samples among theirs, or are not known.
    private mutating func resolve(
        _ pieces: ArraySlice<Piece>, _ loose: ArraySlice<Timestamp>, _ database: Database
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
        if hasGroups { return try place(parts.inOrder, loose, database) }
        let window = query.window(of: first.from)
        guard let times = try times(of: pieces, database) else {
            // What is gone cannot be read: what lies among it counts as far as it is known.
            let isKnown = pieces.allSatisfy { $0.spacing != nil }
            if !isKnown { unknown.insert(window) }
            for piece in pieces { spacings[window].merge(piece.spacing) }
            return place(loose)
        }
        place((times + loose).sorted()[...])
    }

    /// - Returns: `nil` when not all can be read, or they are too many.
    private mutating func times(
        of pieces: ArraySlice<Piece>, _ database: Database
    ) throws -> [Timestamp]? {
        var times: [Timestamp] = []
        for piece in pieces {
            guard case .chunk(let entry, let layout) = piece.origin, entry.count <= left else {
                return nil
            }
            left -= entry.count
            let read = try? SampleFile.withTimes(of: entry, layout, database) { column in
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

extension SampleFile {
    /// How the samples of a chunk follow one another, from the samples themselves.
    ///
    /// - Throws: `ByteReader.Damage`.
    static func spacing(
        of entry: ChunkEntry, _ layout: Layout, _ database: Database
    ) throws -> Spacing? {
        try withTimes(of: entry, layout, database) { $0.spacing(0..<$0.count) }
    }

    /// Lends the moments of a chunk's samples.
    ///
    /// - Throws: `ByteReader.Damage`, also when they are gone.
    fileprivate static func withTimes<Result>(
        of entry: ChunkEntry, _ layout: Layout, _ database: Database,
        _ body: (IntegerColumnReader) throws -> Result
    ) throws -> Result {
        try withContent(of: entry.id, database) { data in
            try data.withUnsafeBytes { raw in
                try body(ChunkOrder(ChunkReader(raw, layout.fields), entry).times)
            }
        }
    }
}

extension [Timeline.Piece] {
    /// Sorted by their first moments, which they nearly always are.
    fileprivate var inOrder: [Timeline.Piece] {
        for (piece, next) in zip(self, dropFirst()) where next.from < piece.from {
            return sorted { $0.from < $1.from }
        }
        return self
    }
}

extension ArraySlice<Timestamp> {
    /// Takes the moments out, which are in order, that do not lie behind one.
    fileprivate mutating func take(through time: Timestamp) -> ArraySlice<Timestamp> {
        let end = indices.partitioningIndex { self[$0] > time }
        defer { self = self[end...] }
        return self[..<end]
    }
}
