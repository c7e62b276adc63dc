import API
import Auth
import Foundation
import HTTPTypes
import Health
import Hummingbird
import Samples
import Text

/// The health store.
struct HealthRoutes {
    /// The maximum size of a body in bytes: room for the most samples, with metadata.
    private static let bodyLimit = 1 << 20
    /// How far back workouts are listed by default: seven days.
    private static let week: Int64 = 604_800_000_000
    /// The types of which a workout shows the samples and totals, if they may be read.
    private static let sampleTypes = Set(HealthType.all.filter(\.isSample))

    let authorizer: RequestAuthorizer
    let health: GrantedHealth

    func add(to routes: inout RouteTable) {
        routes.on(.healthStore, [.delete: removeAll])
        routes.on(.healthTypes, [.get: types])
        routes.on(.healthSummary, [.get: summary])
        routes.on(
            .characteristic("{type}"),
            [.get: characteristic, .put: setCharacteristic, .delete: removeCharacteristic])
        routes.on(.healthSamples, [.get: samples, .post: saveSamples])
        routes.on(.healthWorkouts, [.get: workouts, .post: saveWorkout])
        routes.on(.healthWorkout("{id}"), [.get: workout])
        routes.on(.healthCorrelations, [.get: correlations, .post: saveCorrelation])
        routes.on(.healthObject("{id}"), [.delete: remove])
    }

    @Sendable
    private func types(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("health-types", request, context)
        return try .json(ItemList(HealthType.all.map(HealthTypeDescription.init)))
    }

    // MARK: - Samples

    @Sendable
    private func samples(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("health-samples", request, context)
        try request.rejectParameters(
            except: ["type", "from", "to", "order", "limit", "cursor", "unit", "own"])
        let type = try type(of: request, where: \.isSample, "a quantity or a category")
        let grant = try await authorizer.health(
            "health-samples", reading: [type], request, context)
        let code = request.parameter("unit")
        let unit = type.unit == nil && code == nil ? nil : try type.unit(named: code)
        let page = try await health.samples(of: type, query(request, limit: 100), for: grant)
        return try list(
            page.items.map { HealthSampleDescription($0, in: unit, for: grant.view) },
            next: page.next, request)
    }

    @Sendable
    private func saveSamples(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("health-save", request, context)
        let body = try await request.json(HealthSamplesRequest.self, upTo: Self.bodyLimit)
        let drafts = try body.samples.map(draft)
        let grant = try await authorizer.health(
            "health-save", writing: Set(drafts.map(\.type)), request, context)
        let saved = try await health.save(drafts, for: grant)
        return try .json(
            ItemList(saved.map { HealthSampleDescription($0, for: grant.view) }), status: .created)
    }

    // MARK: - Workouts

    @Sendable
    private func workouts(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let grant = try await authorizer.health(
            "health-workouts", reading: [.workout], also: Self.sampleTypes, request, context)
        try request.rejectParameters(
            except: ["from", "to", "limit", "cursor", "activity", "own", "zone"])
        let rows = try WorkoutRows(zone: request.parameter("zone"))
        var query = try query(request, limit: 10)
        query.activity = try request.choice("activity")
        if request.parameter("from") == nil, request.parameter("to") == nil {
            let start = authorizer.now().advanced(byMicroseconds: -Self.week)
            query.range = TimeRange(from: start, to: .distantFuture)
        }
        let page = try await health.groups(of: .workout, query, for: grant)
        return try list(
            page.items.compactMap { HealthWorkoutDescription($0, rows, for: grant.view) },
            next: page.next, request)
    }

    @Sendable
    private func workout(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let grant = try await authorizer.health(
            "health-workout", reading: [.workout], also: Self.sampleTypes, request, context)
        try request.rejectParameters(except: ["zone"])
        let rows = try WorkoutRows(zone: request.parameter("zone"))
        let group = try await health.workout(context.required("id"), for: grant)
        return try .json(
            HealthWorkoutDescription(group, rows, for: grant.view, withSamples: true))
    }

    @Sendable
    private func saveWorkout(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("health-save", request, context)
        try request.rejectParameters(except: ["zone"])
        let rows = try WorkoutRows(zone: request.parameter("zone"))
        let body = try await request.json(HealthWorkoutRequest.self, upTo: Self.bodyLimit)
        guard let activity = WorkoutActivity(rawValue: body.activity) else {
            let names = WorkoutActivity.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidHealthData, "activity must be one of: \(names).")
        }
        let draft = HealthGroupDraft(
            .workout(
                activity, start: try moment(body.start, "start"), end: try moment(body.end, "end"),
                active: try body.duration.map(duration)),
            samples: try (body.samples ?? []).map(draft), key: body.key,
            metadata: body.metadata ?? [:])
        let grant = try await authorizer.health(
            "health-save", writing: draft.privilegedTypes, request, context)
        let saved = try await health.save(draft, for: grant)
        var response = try Response.json(
            HealthWorkoutDescription(saved, rows, for: grant.view, withSamples: true),
            status: .created)
        response.headers[.location] = APIPath.healthWorkout(saved.object.id).description
        return response
    }

    // MARK: - Correlations

    @Sendable
    private func correlations(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("health-correlations", request, context)
        try request.rejectParameters(
            except: ["type", "from", "to", "order", "limit", "cursor", "own"])
        let type = try type(of: request, where: { $0.kind == .correlation }, "a correlation")
        let grant = try await authorizer.health(
            "health-correlations", reading: Set(type.parts), request, context)
        let page = try await health.groups(of: type, query(request, limit: 100), for: grant)
        return try list(
            page.items.map { HealthCorrelationDescription($0, for: grant.view) }, next: page.next,
            request)
    }

    @Sendable
    private func saveCorrelation(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("health-save", request, context)
        let body = try await request.json(HealthCorrelationRequest.self, upTo: Self.bodyLimit)
        let type = try type(named: body.type)
        guard type.kind == .correlation else {
            throw Problem(.invalidHealthData, "\(type) is not a correlation.")
        }
        let draft = HealthGroupDraft(
            .correlation(type, start: try body.start.map { try moment($0, "start") }),
            samples: try body.samples.map(draft), key: body.key, metadata: body.metadata ?? [:])
        let grant = try await authorizer.health(
            "health-save", writing: draft.privilegedTypes, request, context)
        let saved = try await health.save(draft, for: grant)
        return try .json(
            HealthCorrelationDescription(saved, for: grant.view), status: .created)
    }

    // MARK: - Removing

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let id = try context.required("id")
        let identified = try await authorizer.health("health-remove", request, context)
        let types = try await health.typesToRemove(id, for: identified)
        let grant = try await authorizer.health(
            "health-remove", writing: types, request, context)
        try await health.remove(id, of: types, for: grant)
        return Response(status: .noContent)
    }

    @Sendable
    private func removeAll(_ request: Request, _ context: ProviderContext) async throws -> Response
    {
        let grant = try await ownersGrant("health-remove", request, context)
        try request.rejectParameters(except: ["type", "app", "from", "to", "all"])
        let isWhole = try request.bareFlag("all")
        let type = try request.parameter("type").map(type(named:))
        let filter = HealthFilter(
            type: type, app: request.parameter("app"),
            range: try request.range(now: authorizer.now()))
        guard isWhole == (filter == HealthFilter()) else {
            throw Problem.invalidParameter(
                "all", "either all, or at least one of: type, app, from, to")
        }
        let count = try await health.removeAll(filter, isWhole: isWhole, for: grant)
        return try .json(HealthDeletion(deleted: count))
    }

    @Sendable
    private func summary(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let grant = try await ownersGrant("health-summary", request, context)
        let counts = try await health.counts(for: grant)
        return try .json(ItemList(counts.map(HealthCountDescription.init)))
    }

    // MARK: - Characteristics

    @Sendable
    private func characteristic(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("health-characteristic", request, context)
        let type = try characteristicType(context)
        let grant = try await authorizer.health(
            "health-characteristic", reading: [type], request, context)
        guard let value = try await health.characteristic(type, for: grant) else {
            throw Problem.notFound("The owner has not set \(type).")
        }
        return try .json(
            CharacteristicDescription(
                type: type.description, value: JSONScalar(value),
                unit: type.unit?.description))
    }

    @Sendable
    private func setCharacteristic(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let grant = try await ownersGrant("set-characteristic", request, context)
        let type = try characteristicType(context)
        let body = try await request.json(CharacteristicRequest.self)
        try await health.set(
            type, to: try value(body.value, of: type), unit: body.unit, for: grant)
        return Response(status: .noContent)
    }

    @Sendable
    private func removeCharacteristic(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let grant = try await ownersGrant("set-characteristic", request, context)
        try await health.set(try characteristicType(context), to: nil, for: grant)
        return Response(status: .noContent)
    }

    // MARK: - Private

    private func ownersGrant(
        _ operation: String, _ request: Request, _ context: ProviderContext
    ) async throws -> HealthGrant {
        try await authorizer.owner(operation, request, context)
        return try await authorizer.health(operation, request, context)
    }

    private func characteristicType(_ context: ProviderContext) throws -> HealthType {
        let type = try type(named: context.required("type"))
        guard type.kind == .characteristic else {
            throw Problem.notFound("\(type) is not a characteristic.")
        }
        return type
    }

    private func type(named name: String) throws -> HealthType {
        guard let type = HealthType(name) else { throw HealthError(unknownType: name) }
        return type
    }

    /// The parameter `type`.
    private func type(
        of request: Request, where isRight: (HealthType) -> Bool, _ what: String
    ) throws -> HealthType {
        guard let name = request.parameter("type") else {
            throw Problem.invalidParameter("type", "is required")
        }
        let type = try type(named: name)
        guard isRight(type) else { throw Problem.invalidParameter("type", "must be \(what)") }
        return type
    }

    private func query(_ request: Request, limit: Int) throws -> HealthQuery {
        enum Order: String, CaseIterable { case asc, desc }
        let order: Order? = try request.choice("order")
        return HealthQuery(
            range: try request.range(now: authorizer.now()), isNewestFirst: order != .asc,
            limit: try request.limit(default: limit), isOwnOnly: try request.flag("own"),
            cursor: request.parameter("cursor"))
    }

    private func list(
        _ items: [some Codable & Sendable], next: String?, _ request: Request
    ) throws -> Response {
        var response = try Response.json(ItemList(items, next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    private func draft(_ sample: HealthSampleRequest) throws -> HealthSampleDraft {
        let type = try type(named: sample.type)
        guard type.isSample else {
            throw Problem(.invalidHealthData, "\(type) is not a type of samples.")
        }
        return HealthSampleDraft(
            type, try value(sample.value, of: type), unit: sample.unit,
            start: try sample.start.map { try moment($0, "start") },
            end: try sample.end.map { try moment($0, "end") }, key: sample.key,
            metadata: sample.metadata ?? [:])
    }

    private func value(
        _ value: JSONScalar, of type: HealthType
    ) throws -> HealthSampleDraft.Value {
        switch value {
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .flag:
            throw Problem(.invalidHealthData, "The value of \(type) is a number or a text.")
        }
    }

    private func moment(_ value: JSONScalar, _ name: String) throws -> Timestamp {
        switch value {
        case .number(let number):
            if let time = Timestamp(milliseconds: number) { return time }
        case .text(let text): return try Request.moment(name, text, authorizer.now())
        case .flag: break
        }
        throw Problem(
            .invalidHealthData, "\(name) must be milliseconds since 1970 or a time in RFC 3339.")
    }

    private func duration(_ milliseconds: Double) throws -> Duration {
        // Also rejects NaN; no workout lasts a century.
        guard (0...3_155_760_000_000).contains(milliseconds) else {
            throw Problem(.invalidHealthData, "duration must be milliseconds.")
        }
        return .microseconds(Int64((milliseconds * 1000).rounded()))
    }
}
