import API
import Alerts
import Auth
import HTTPTypes
import Hummingbird
import JSApps
import LAE
import Samples
import VM

/// Alert rules, for the owner.
struct AlertRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AlertEngine
    let library: AppLibrary

    func add(to routes: inout RouteTable) {
        routes.on(.alerts, [.get: list, .post: create])
        routes.on(
            .alert("{alert}"), [.get: show, .put: put, .patch: change, .delete: remove])
        routes.on(.events(ofAlert: "{alert}"), [.get: events])
        routes.on(.test(ofAlert: "{alert}"), [.get: test])
        routes.on(.send(ofAlert: "{alert}"), [.post: send])
    }

    // MARK: - Rules

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("alerts", request, context)
        return try .json(ItemList(await engine.statuses().map { AlertDescription($0) }))
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("add-alert", request, context)
        let body = try await request.json(AlertRequest.self)
        return try await put(body.name, body.rule, replacing: false, request, context)
    }

    @Sendable
    private func show(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("alert", request, context)
        return try .json(AlertDescription(await engine.status(of: name(context))))
    }

    @Sendable
    private func put(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("put-alert", request, context)
        let definition = try await request.json(AlertDefinition.self)
        return try await put(name(context), definition, replacing: true, request, context)
    }

    @Sendable
    private func change(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("change-alert", request, context)
        let name = try name(context)
        try await engine.setEnabled(await request.json(AlertChange.self).enabled, name)
        return try .json(AlertDescription(await engine.status(of: name)))
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("remove-alert", request, context)
        try await engine.remove(name(context))
        return Response(status: .noContent)
    }

    private func put(
        _ name: String, _ definition: AlertDefinition, replacing isReplaced: Bool,
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let rule = try await resolved(name, definition, request, context)
        let isNew = try await engine.put(rule, replacing: isReplaced)
        let described = AlertDescription(try await engine.status(of: name))
        var response = try Response.json(described, status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = APIPath.alert(name).description }
        return response
    }

    /// The rule with the sensor and the field that its names refer to, which must exist, as must the app
    /// that it runs.
    private func resolved(
        _ name: String, _ definition: AlertDefinition, _ request: Request,
        _ context: ProviderContext
    ) async throws -> AlertRule {
        var definition = definition
        let checked = try AlertRule(name, definition)
        try await authorizer.isGrantable.checkKnown(checked.sensor)
        let grant = try await authorizer.grant(
            "alert", .stats, of: checked.sensor, request, context)
        definition.sensor = grant.sensor.description
        if checked.measure != .silence, definition.field == nil {
            guard let main = await machine.sensor(grant.sensor)?.mainField else {
                throw Problem(.notNumeric, "\(grant.sensor) has no numeric field.")
            }
            definition.field = main.name
        }
        let rule = try AlertRule(name, definition)
        try await AlertSamples(machine, authority: authorizer.authority)
            .check(rule, now: authorizer.now())
        if let app = definition.run { _ = try await library.app(named: app) }
        return rule
    }

    // MARK: - History

    @Sendable
    private func events(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("alert-events", request, context)
        try request.rejectParameters(except: ["cursor", "limit"])
        let cursor = try request.parameter("cursor").map { text in
            guard let id = Int64(text) else {
                throw Problem.invalidParameter("cursor", "must be the next of an earlier answer")
            }
            return id
        }
        let limit = try request.limit(atMost: 1000)
        // One more, to know whether there is a next page.
        let found = try await engine.events(of: name(context), before: cursor, limit: limit + 1)
        let shown = found.prefix(limit)
        let next = found.count > limit ? shown.last.map { String($0.id) } : nil
        var response = try Response.json(
            ItemList(shown.map { AlertEventDescription($0) }, next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    @Sendable
    private func test(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("alert-test", request, context)
        try request.rejectParameters(except: ["from", "to"])
        let now = authorizer.now()
        let range = try request.range(now: now)
        guard range.from > .distantPast else {
            throw Problem.invalidParameter("from", "missing")
        }
        let status = try await engine.status(of: name(context))
        let source = AlertSamples(
            machine, authority: authorizer.authority, as: "alert-test", isHistory: true,
            time: authorizer.time)
        do {
            let replay = try await AlertReplay(
                status.rule, over: TimeRange(from: range.from, to: min(range.to, now)),
                reading: source)
            await source.finish()
            return try .json(AlertTestReply(replay, of: status))
        } catch {
            await source.finish()
            throw error
        }
    }

    @Sendable
    private func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("send-alert", request, context)
        return try .json(AlertSendReply(count: await engine.retry(name(context))))
    }

    private func name(_ context: ProviderContext) throws -> String {
        try context.required("alert")
    }
}

extension AlertDescription {
    init(_ status: AlertEngine.Status) {
        let state = status.state
        let name =
            if !status.isEnabled {
                "disabled"
            } else if state.evaluated == nil {
                "waiting"
            } else if state.phase == .ok, state.missing != nil {
                "no-data"
            } else {
                state.phase.rawValue
            }
        self.init(
            name: status.rule.name, summary: status.rule.summary, rule: status.rule.definition,
            enabled: status.isEnabled, state: name, since: state.since.milliseconds,
            value: state.value, unit: status.unit,
            missing: state.missing.map {
                Missing(reason: $0.reason.rawValue, since: $0.since.milliseconds)
            }, evaluated: state.evaluated?.milliseconds,
            every: Duration.microseconds(status.rule.step).span,
            created: status.created.milliseconds, waiting: status.waiting,
            problem: status.problem)
    }
}

extension AlertEventDescription {
    init(_ event: AlertEngine.Event) {
        self.init(
            id: event.id, time: event.time.milliseconds, event: event.kind.rawValue,
            value: event.value, muted: event.isMuted,
            deliveries: event.deliveries.map {
                Delivery(
                    action: $0.kind.rawValue, state: $0.state.rawValue, attempts: $0.attempts,
                    next: $0.next?.milliseconds, problem: $0.problem)
            })
    }
}

extension AlertTestReply {
    init(_ replay: AlertReplay, of status: AlertEngine.Status) {
        self.init(
            from: replay.range.from.milliseconds, to: replay.range.to.milliseconds,
            every: Duration.microseconds(status.rule.step).span, evaluations: replay.steps,
            unit: status.unit,
            events: replay.transitions.map {
                Event(time: $0.time.milliseconds, event: $0.kind.rawValue, value: $0.value)
            }, more: replay.hasMore,
            gaps: replay.gaps.map {
                Gap(
                    from: $0.range.from.milliseconds, to: $0.range.to.milliseconds,
                    reason: $0.reason.rawValue)
            }, minimum: replay.extremes?.lowerBound, maximum: replay.extremes?.upperBound)
    }
}
