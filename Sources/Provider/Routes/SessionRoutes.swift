import API
import Auth
import Egress
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import Logging
import Samples
import Sessions
import VM

/// Sessions such as a workout, a trip or a measurement; the owner's.
struct SessionRoutes {
    let door: Door
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let book: SessionBook
    let outbox: Outbox
    /// What the seconds of live sessions are counted by.
    let time: TimeSource

    func add(to routes: inout RouteTable) {
        routes.on(.sessions, [.get: list, .post: create])
        routes.on(.session("{session}"), [.get: show, .patch: update, .delete: remove])
        for step in SessionStep.allCases {
            routes.on(
                .step(step.rawValue, ofSession: "{session}"),
                [.post: { try await apply(step, $0, $1) }])
        }
        routes.on(.route(ofSession: "{session}"), [.get: route])
        routes.on(.send(ofSession: "{session}"), [.post: send])
        routes.on(.live(ofSession: "{session}"), [.get: live])
        routes.on(.workouts, [.get: exportWorkouts, .post: importWorkouts])
    }

    // MARK: - Sessions

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("sessions", request, context)
        try request.refuseParameters(besides: ["cursor", "limit"])
        let page = try await book.page(
            after: request.parameter("cursor"), limit: request.limit(atMost: 1000))
        let now = door.now()
        let items = page.records.map { SessionDescription($0, now: now) }
        var response = try Response.json(ItemList(items, next: page.next))
        if let next = page.next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("create-session", request, context)
        let body = try await request.json(SessionRequest.self)
        guard let name = body.name, let sensors = try await known(body.sensors) else {
            throw Problem.invalidBody("name and sensors are needed.")
        }
        guard body.distance == nil else {
            throw Problem.invalidBody("distance is entered once the session is there.")
        }
        let draft: SessionDraft
        do {
            draft = try SessionDraft(
                name: name, description: body.description ?? "", sensors: sensors)
        } catch {
            throw SessionsError(error)
        }
        let record = try await book.create(draft, id: body.id)
        var response = try described(record, status: .created)
        response.headers[.location] = APIPath.session(record.session.id).description
        return response
    }

    @Sendable
    private func show(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("session", request, context)
        return try described(await book.record(id(context)))
    }

    @Sendable
    private func update(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("update-session", request, context)
        let body = try await request.json(SessionRequest.self)
        guard body.id == nil else {
            throw Problem.invalidBody("The id of a session does not change.")
        }
        let change = SessionChange(
            name: body.name, description: body.description, sensors: try await known(body.sensors),
            distance: body.distance)
        return try described(await book.update(id(context), change))
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("remove-session", request, context)
        try await book.remove(id(context))
        return Response(status: .noContent)
    }

    private func apply(
        _ step: SessionStep, _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await door.owner("\(step.rawValue)-session", request, context)
        let id = try id(context)
        do {
            if step == .resume {
                try await checkResumption(of: book.record(id), request, context)
            }
            return try described(await book.apply(step, to: id))
        } catch let error as SessionsError where error.code == .wrongState {
            context.logger.info(
                "refused a step of a session",
                metadata: ["session": "\(id)", "step": "\(step.rawValue)"])
            throw error
        }
    }

    // MARK: - Private

    func id(_ context: ProviderContext) throws -> String {
        try context.decoded("session").required("session")
    }

    private func described(
        _ record: SessionRecord, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .json(SessionDescription(record, now: door.now()), status: status)
    }

    /// The sensors of these names; what is mistyped would only show when nothing was found.
    private func known(_ names: [String]?) async throws -> [SensorID]? {
        guard let names else { return nil }
        var sensors: [SensorID] = []
        for name in names {
            guard let id = SensorID(name) else {
                throw Problem.invalidBody(
                    "\(name.prefix(80).debugDescription) is not a sensor's name.")
            }
            guard await !machine.instances(of: id).isEmpty else { throw Problem(unknown: id) }
            sensors.append(id)
        }
        return sensors
    }
}
