import API
import Auth
import Dialects
import LAE
import Samples
import Text
import VM

/// Reads samples as Observations of SensorThings: one for each field of a sample.
///
/// Each page of samples is read under a grant of its own, and recorded in the access log.
struct ObservationReader {
    /// The maximum number of Observations that one request looks at.
    static let longestScan = 500_000
    private static let page = 1000

    /// The Observations of a sensor that are wanted.
    struct Source {
        let sensor: Sensor
        let fields: [Int]
    }

    /// Some Observations.
    struct Page {
        var items: [SensorThingsEntity] = []
        /// The position of the last one, where the next page begins; `nil` if there are no more.
        var next: SampleQuery.Position?
        /// The number of all that meet the filter, if it is asked for.
        var count: Int?
    }

    let engine: AnalyticsEngine
    let catalogue: SensorThingsCatalogue
    /// Makes a grant to read samples of a sensor; `isContinuation` for a later page.
    let grant: (_ sensor: SensorID, _ isContinuation: Bool) async throws -> Grant

    /// The Observations of some sensors, in the order of their times.
    func page(of sources: [Source], _ options: QueryOptions) async throws -> Page {
        let isDescending = try Self.isDescending(options.order)
        let after = try options.skipToken.map { token in
            guard sources.count == 1, let position = SampleQuery.Position(cursor: token) else {
                throw Problem.invalidParameter("$skiptoken", "must come from an @iot.nextLink")
            }
            return position
        }
        let range = options.filter?.timeRange ?? .all
        let wanted = options.skip + options.limit
        // Without a filter, no more samples are read than are shown.
        let isExact = options.filter.map(Self.isRange) ?? true
        let fields = sources.map(\.fields.count).max() ?? 1
        let size =
            isExact && !options.countsAll
            ? min(Self.page, max(1, (wanted + fields - 1) / fields)) : Self.page
        var streams: [Stream] = []
        for source in sources {
            var stream = Stream(
                source: source,
                selection: SampleSelection(
                    range: range, order: isDescending ? .descending : .ascending, after: after,
                    limit: size))
            try await fill(&stream)
            streams.append(stream)
        }
        var found = Page()
        var (matched, looked) = (0, 0)
        while let chosen = Self.next(of: streams, isDescending) {
            let row = streams[chosen].row
            for field in streams[chosen].source.fields {
                looked += 1
                guard looked <= Self.longestScan else { throw Self.tooMany }
                let entity = Self.observation(
                    row, field, of: streams[chosen].source.sensor, streams[chosen].names)
                if let filter = options.filter,
                    !filter.holds({ catalogue.value($0, of: entity) })
                {
                    continue
                }
                matched += 1
                guard matched > options.skip else { continue }
                if found.items.count < options.limit {
                    found.items.append(entity)
                    found.next = SampleQuery.Position(time: row.time, sequence: row.sequence)
                } else if !options.countsAll {
                    return found
                }
            }
            streams[chosen].index += 1
            if isExact, !options.countsAll, found.items.count >= options.limit {
                // The store has said whether there are more.
                if !streams.contains(where: { !$0.isEmpty || !$0.hasEnded }) { found.next = nil }
                return found
            }
            try await fill(&streams[chosen])
        }
        if options.countsAll { found.count = matched }
        if matched <= wanted { found.next = nil }
        return found
    }

    /// The Observation with an id; `nil` if there is none.
    func observation(_ id: String) async throws -> SensorThingsEntity? {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let position = SampleQuery.Position(cursor: String(parts[2])),
            let name = SensorID(String(parts[0])),
            let sensor = catalogue.sensors.first(where: { $0.id == name }),
            let field = sensor.fields.firstIndex(where: { $0.name == parts[1] })
        else { return nil }
        let selection = SampleSelection(
            range: TimeRange(
                from: position.time, to: position.time.advanced(byMicroseconds: 1)),
            limit: Self.page)
        let page = Rows(try await engine.batch(selection, for: try await grant(name, false)))
        return page.rows.first { $0.sequence == position.sequence }
            .map { Self.observation($0, field, of: sensor, page.names) }
    }

    // MARK: - Private

    /// The samples of a batch, row by row.
    private struct Rows {
        let rows: [StoredSample]
        let names: [String]
        let next: SampleQuery.Position?

        init(_ page: BatchPage) {
            rows = (0..<page.stored.count).map { page.stored[$0] }
            names = page.fields.map(\.name)
            next = page.next
        }
    }

    /// The samples of one sensor that are left.
    private struct Stream {
        let source: Source
        var selection: SampleSelection
        var rows: [StoredSample] = []
        var names: [String] = []
        var index = 0
        var hasBegun = false
        var hasEnded = false

        var row: StoredSample { rows[index] }
        var isEmpty: Bool { index >= rows.count }
    }

    /// Reads the next page if the last one is used up.
    private func fill(_ stream: inout Stream) async throws {
        while stream.isEmpty, !stream.hasEnded {
            let granted = try await grant(stream.source.sensor.id, stream.hasBegun)
            guard let page = try await rows(stream.selection, granted) else {
                stream.hasEnded = true
                return
            }
            (stream.rows, stream.names, stream.index) = (page.rows, page.names, 0)
            stream.hasBegun = true
            stream.selection.after = page.next
            stream.selection.limit = Self.page
            stream.hasEnded = page.next == nil
        }
    }

    /// - Returns: `nil` for a sensor that is not available and has no samples.
    private func rows(_ selection: SampleSelection, _ grant: Grant) async throws -> Rows? {
        do throws(LAEError) {
            return Rows(try await engine.batch(selection, for: grant))
        } catch {
            guard error.code == .unavailable else { throw error }
            return nil
        }
    }

    private static func next(of streams: [Stream], _ isDescending: Bool) -> Int? {
        streams.indices.filter { !streams[$0].isEmpty }.min { left, right in
            let (first, second) = (streams[left].row.time, streams[right].row.time)
            guard first != second else { return left < right }
            return isDescending ? first > second : first < second
        }
    }

    private static func observation(
        _ row: StoredSample, _ field: Int, of sensor: Sensor, _ names: [String]
    ) -> SensorThingsEntity {
        let name = sensor.fields[field].name
        let value = names.firstIndex(of: name).map { row.values[$0] }
        let result =
            switch value {
            case .number(let number)?: JSONValue(number)
            case .integer(let integer)?: JSONValue(Int(integer))
            case .text(let text)?: JSONValue(text)
            case nil: JSONValue(.null)
            }
        let time = JSONValue(row.time.description)
        let position = SampleQuery.Position(time: row.time, sequence: row.sequence)
        return SensorThingsEntity(
            type: .observation, id: "\(sensor.id):\(name):\(position.cursor)", sensor: sensor,
            field: field,
            properties: [("phenomenonTime", time), ("resultTime", time), ("result", result)])
    }

    private static func isDescending(_ order: [QueryOptions.Order]) throws -> Bool {
        guard let first = order.first else { return false }
        let isTime = order.count == 1 && ["phenomenonTime", "resultTime"].contains(first.path[0])
        guard isTime else {
            throw Problem.invalidParameter(
                "$orderby", "Observations can be ordered by phenomenonTime or resultTime only")
        }
        return first.isDescending
    }

    /// Whether a filter is nothing but a range of times, which is applied when samples are read.
    private static func isRange(_ filter: FilterExpression) -> Bool {
        switch filter {
        case .compare(let path, let comparison, .time):
            path.count == 1 && comparison != .ne
        case .and(let left, let right): isRange(left) && isRange(right)
        case .compare, .function, .or, .not: false
        }
    }

    private static var tooMany: Problem {
        Problem(
            .tooManyRows,
            "The request would look at more than \(longestScan) Observations.",
            fix: "Narrow it with $filter=phenomenonTime ge … and phenomenonTime lt …")
    }
}
