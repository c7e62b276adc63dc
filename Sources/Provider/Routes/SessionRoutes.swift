import Auth
import Egress
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import Logging
import Samples
import Scheduling
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
    let time: any TimeSource

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/sessions", [.get: list, .post: create])
        routes.on("api/v1/sessions/{session}", [.get: show, .patch: update, .delete: remove])
        for step in SessionStep.allCases {
            routes.on(
                "api/v1/sessions/{session}/\(step.rawValue)",
                [.post: { try await apply(step, $0, $1) }])
        }
        routes.on("api/v1/sessions/{session}/route", [.get: route])
        routes.on("api/v1/sessions/{session}/send", [.post: send])
        routes.on("api/v1/sessions/{session}/live", [.get: live])
        routes.on("api/v1/workouts", [.get: exportWorkouts, .post: importWorkouts])
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
        let wish = try await request.json(SessionWish.self)
        guard let name = wish.name, let sensors = try await known(wish.sensors) else {
            throw Problem.invalidBody("name and sensors are needed.")
        }
        guard wish.distance == nil else {
            throw Problem.invalidBody("distance is entered once the session is there.")
        }
        let draft = try SessionDraft(
            name: name, description: wish.description ?? "", sensors: sensors)
        let record = try await book.create(draft, id: wish.id)
        var response = try described(record, status: .created)
        response.headers[.location] = "/api/v1/sessions/\(record.session.id)"
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
        let wish = try await request.json(SessionWish.self)
        guard wish.id == nil else {
            throw Problem.invalidBody("The id of a session does not change.")
        }
        let change = SessionChange(
            name: wish.name, description: wish.description, sensors: try await known(wish.sensors),
            distance: wish.distance)
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
