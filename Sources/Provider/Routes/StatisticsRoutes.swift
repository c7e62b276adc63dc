import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import Statistics
import VM

/// Statistics of the fields of one or more sensors, in one or more windows.
struct StatisticsRoutes {
    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine
    let machine: VirtualMachine
    let settings: SettingsLink

    func add(to routes: inout RouteTable) {
        routes.on(.statistics(of: "{sensor}"), [.get: statistics])
        routes.on(.statistics, [.get: statisticsOfMany])
    }

    @Sendable
    private func statistics(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await authorizer.grant("stats", .stats, of: id, request, context)
        try request.rejectParameters(
            except: ["from", "to", "fields", "every", "zone", "fn"], repeating: ["where"])
        let table = try await engine.statistics(query(request), for: grant)
        let isColumns = request.headers[.accept].flatMap {
            ContentNegotiation.best(of: $0) { range in
                switch range {
                case SampleFormat.columns.mediaType: true
                case "*/*", "application/*", "application/json": false
                default: Bool?.none
                }
            }
        }
        var response: Response
        if isColumns == true {
            response = Response(
                status: .ok, headers: [.contentType: SampleFormat.columns.mediaType],
                body: .init(byteBuffer: Self.columns(of: table)))
            response.headers[.damaged] = table.damage.damageField
        } else {
            response = try .json(StatisticsAnswer(table, of: grant.sensor))
        }
        response.headers[.vary] = "Accept"
        return response.naming(grant.sensor, requested: id)
    }

    /// A row for each window, with its start and a column for each statistic of each field; a number that is
    /// not defined is not a number.
    private static func columns(of table: StatisticsTable) -> ByteBuffer {
        var fields: [Field] = []
        var columns: [Column] = []
        for (row, field) in table.fields.enumerated() {
            for (index, statistic) in table.statistics.enumerated() {
                fields.append(Field("\(field.name).\(statistic)", unit: field.unit))
                columns.append(.numbers(table.windows.map { $0.values[row][index] ?? .nan }))
            }
        }
        let batch = SampleBatch(times: table.windows.map(\.range.from), columns: columns)
        var writer = SampleWriter(.columns, fields: fields)
        writer.write(batch, rows: batch.indices)
        return writer.take { ByteBuffer(bytes: $0) }
    }

    // MARK: - Several sensors

    /// The maximum number of sensors of a request.
    private static let sensorLimit = 32
    /// How many sensors of a request are read at the same time.
    private static let width = 4
    /// A double has no more.
    private static let mostDigits = 17

    @Sendable
    private func statisticsOfMany(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let client = try await authorizer.client("stats", request, context)
        try request.rejectParameters(
            except: ["from", "to", "every", "zone", "fn", "digits"], repeating: ["of"])
        let selections = try await selections(
            request.uri.queryParameters.getAll("of").map { String($0) }, for: client)
        let query = try query(request)
        var writer = StatisticsColumnsWriter(query, digits: try digits(request))
        let grants = await grants(selections, request, context)
        try await compute(query, selections, grants) { selection, result in
            do {
                try writer.write(try result.get(), of: selection.sensor)
            } catch {
                guard let problem = Problem(ofStream: error) else { throw error }
                guard !problem.concernsCaller else { throw problem }
                let addressed = await authorizer.addressed(
                    problem.with(settings, request), request, context)
                writer.write(addressed, of: selection.sensor)
            }
        }
        return .json(writer.finish())
    }

    /// The sensors and fields that the parameters `of` select.
    private func selections(
        _ texts: [String], for client: Client
    ) async throws -> [StatisticsSelection] {
        guard texts != ["*"] else {
            let permissions = await authorizer.authority.permissions
            let selections = await machine.statuses().compactMap { status in
                StatisticsSelection(mainFieldOf: status, for: client, permissions)
            }
            return Array(selections.prefix(Self.sensorLimit))
        }
        guard (1...Self.sensorLimit).contains(texts.count) else {
            throw Problem.invalidParameter(
                "of", "must be given 1 to \(Self.sensorLimit) times, like of=cpu:busy, or be *")
        }
        return try texts.map { try StatisticsSelection($0) }
    }

    /// Passes on the statistics of each selection, in their order.
    ///
    /// Several are computed at the same time, and no more tables are in memory.
    private func compute(
        _ query: StatisticsQuery, _ selections: [StatisticsSelection],
        _ grants: [Result<Grant, AuthError>],
        _ use: (StatisticsSelection, Result<StatisticsTable, any Error>) async throws -> Void
    ) async throws {
        typealias Answer = (index: Int, result: Result<StatisticsTable, any Error>)
        try await withThrowingTaskGroup(of: Answer.self) { group in
            var (started, used) = (0, 0)
            var answers: [Int: Result<StatisticsTable, any Error>] = [:]
            while used < selections.count {
                while started < min(selections.count, used + Self.width) {
                    var query = query
                    query.fields = selections[started].fields
                    group.addTask { [started, query] in
                        do {
                            let table = try await engine.statistics(
                                query, for: try grants[started].get())
                            return (started, .success(table))
                        } catch {
                            return (started, .failure(error))
                        }
                    }
                    started += 1
                }
                guard let answer = try await group.next() else { return }
                answers[answer.index] = answer.result
                while let result = answers.removeValue(forKey: used) {
                    try await use(selections[used], result)
                    used += 1
                }
            }
        }
    }

    /// A grant for each selection; an app that asks at first use waits for all decisions at the same time.
    private func grants(
        _ selections: [StatisticsSelection], _ request: Request, _ context: ProviderContext
    ) async -> [Result<Grant, AuthError>] {
        await withTaskGroup(of: (Int, Result<Grant, AuthError>).self) { group in
            for (index, selection) in selections.enumerated() {
                group.addTask {
                    do throws(AuthError) {
                        let grant = try await authorizer.grant(
                            "stats", .stats, of: selection.sensor, request, context)
                        return (index, .success(grant))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    // MARK: - Parameters

    /// The significant digits of the numbers of several sensors; `nil` for all.
    private func digits(_ request: Request) throws -> Int? {
        try request.parameter("digits").map { text in
            guard let digits = Int(text), (1...Self.mostDigits).contains(digits) else {
                throw Problem.invalidParameter(
                    "digits", "must be a number from 1 to \(Self.mostDigits)")
            }
            return digits
        }
    }

    /// The maximum number of statistics of a request.
    private static let limit = 32

    private func query(_ request: Request) throws -> StatisticsQuery {
        var statistics = Statistic.standard
        if let names = try request.list("fn") {
            guard names.count <= Self.limit else {
                throw Problem.invalidParameter("fn", "at most \(Self.limit) names are accepted")
            }
            statistics = try names.map { name in
                guard let known = Statistic(name) else {
                    throw Problem(
                        .unknownStatistic,
                        "fn: \(name.prefix(40).debugDescription) is not one of: "
                            + Statistic.allNames)
                }
                return known
            }
            guard Set(statistics).count == statistics.count else {
                throw Problem.invalidParameter("fn", "repeated statistic")
            }
        }
        let calendar = try calendar(request)
        let every = try request.parameter("every").flatMap { text -> Duration? in
            guard calendar == nil else { return nil }
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidParameter("every", "must be a duration such as 10s, 1m or 1mo")
            }
            return span
        }
        return StatisticsQuery(
            range: try request.range(now: authorizer.now()), fields: try request.list("fields"),
            statistics: statistics, every: every, calendar: calendar,
            conditions: try request.conditions())
    }

    /// The calendar windows of `every`: for days and weeks only if `zone` is given, for months also without
    /// it, in UTC.
    ///
    /// - Returns: `nil` if `every` is the length of equal windows, or is missing.
    private func calendar(_ request: Request) throws -> CalendarWindows? {
        let zone = request.parameter("zone")
        guard let every = request.parameter("every"), CalendarWindows.accepts(every) else {
            guard zone == nil else {
                throw Problem.invalidParameter(
                    "zone", "needs every in days, weeks or months, such as 1d")
            }
            return nil
        }
        guard zone != nil || Duration(span: every) == nil else { return nil }
        guard let calendar = CalendarWindows(every, zone: zone ?? "UTC") else {
            throw Problem.invalidParameter(
                "zone", "must be the name of a time zone, such as Europe/Zurich")
        }
        return calendar
    }
}

/// A sensor in a request for statistics of several: `SENSOR` or `SENSOR:FIELD,FIELD`.
private struct StatisticsSelection {
    let sensor: SensorID
    /// `nil` for all numeric ones.
    let fields: [String]?

    /// The main field of a sensor; `nil` if it is off or not available, has no numeric fields, or if the
    /// owner has not allowed the client its statistics.
    init?(
        mainFieldOf status: SensorStatus, for client: Client, _ permissions: Permissions
    ) {
        let permission = permissions.permission(of: client, for: status.sensor.id)
        guard status.state == .available, status.level != .off,
            permission == .granted || permission == .statistics,
            let field = status.sensor.mainField
        else { return nil }
        (sensor, fields) = (status.sensor.id, [field.name])
    }

    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let sensor = SensorID(String(name)) else {
            throw Problem.invalidParameter(
                "of", "\(text.prefix(80).debugDescription) is not like cpu or cpu:busy")
        }
        self.sensor = sensor
        guard parts.count == 2 else {
            fields = nil
            return
        }
        let names = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count else {
            throw Problem.invalidParameter(
                "of", "the fields must be a comma-separated list of different names")
        }
        fields = names.map(String.init)
    }
}
