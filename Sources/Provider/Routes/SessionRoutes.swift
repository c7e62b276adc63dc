import API
import Addresses
import Auth
import Egress
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Samples
import Scheduling
import Sessions
import VM

/// Sessions such as a workout, a trip or a measurement; for the owner.
struct SessionRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let book: SessionBook
    let reader: SessionRouteReader
    let outbox: Outbox

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
    }

    // MARK: - Sessions

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("sessions", request, context)
        try request.rejectParameters(except: ["cursor", "limit"])
        let page = try await book.page(
            after: request.parameter("cursor"), limit: request.limit(atMost: 1000))
        let now = authorizer.now()
        let items = page.records.map { SessionDescription($0, now: now) }
        var response = try Response.json(ItemList(items, next: page.next))
        if let next = page.next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("create-session", request, context)
        let body = try await request.json(SessionRequest.self)
        guard let name = body.name, let sensors = try await known(body.sensors) else {
            throw Problem.invalidBody("name and sensors are required.")
        }
        guard body.distance == nil else {
            throw Problem.invalidBody("distance can be set only on an existing session.")
        }
        let draft = try SessionDraft(
            name: name, description: body.description ?? "", sensors: sensors)
        let record = try await book.create(draft, id: body.id)
        var response = try described(record, status: .created)
        response.headers[.location] = APIPath.session(record.session.id).description
        return response
    }

    @Sendable
    private func show(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("session", request, context)
        return try described(await book.record(context.required("session")))
    }

    @Sendable
    private func update(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("update-session", request, context)
        let body = try await request.json(SessionRequest.self)
        guard body.id == nil else {
            throw Problem.invalidBody("The id of a session cannot be changed.")
        }
        let change = SessionChange(
            name: body.name, description: body.description, sensors: try await known(body.sensors),
            distance: body.distance)
        return try described(await book.update(context.required("session"), change))
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("remove-session", request, context)
        try await book.remove(context.required("session"))
        return Response(status: .noContent)
    }

    private func apply(
        _ step: SessionStep, _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("\(step.rawValue)-session", request, context)
        let id = try context.required("session")
        do {
            if step == .resume {
                try await reader.checkResumption(of: book.record(id), request, context)
            }
            return try described(await book.apply(step, to: id))
        } catch let error as SessionsError where error.code == .wrongState {
            context.logger.info(
                "refused a step of a session",
                metadata: ["session": "\(id)", "step": "\(step.rawValue)"])
            throw error
        }
    }

    // MARK: - Routes

    @Sendable
    private func route(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("session-route", request, context)
        let document = try await document(request, context)
        var response = Response(
            status: .ok, headers: [.contentType: document.form.rawValue, .vary: "Accept"],
            body: .init(byteBuffer: ByteBuffer(string: document.text)))
        response.headers[.damaged] = document.damage.damageField
        return response
    }

    /// Uploads the route to a server of the owner's choice.
    @Sendable
    private func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("send-session", request, context)
        let body = try await request.json(SendRequest.self)
        guard let address = WebAddress(body.to) else {
            throw Problem.invalidBody("to must be an http or https URL.")
        }
        let document = try await document(request, context)
        let upload = try Upload(
            to: address, title: "\(document.session.name) (\(document.form.name))",
            mediaType: document.form.rawValue, body: Array(document.text.utf8),
            tokenFile: body.tokenFile)
        let outcome = try await outbox.send(upload, keeps: body.keep ?? true)
        return try .json(SendReply(outcome, damaged: document.damage.damageField))
    }

    /// The route of the session, in the requested form.
    private func document(
        _ request: Request, _ context: ProviderContext
    ) async throws -> SessionRouteReader.Document {
        try request.rejectParameters(except: ["format", "sensor"])
        let form = try TrackForm(request)
        let record = try await book.record(context.required("session"))
        return try await reader.document(record, form, request, context)
    }

    // MARK: - Private

    private func described(
        _ record: SessionRecord, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .json(SessionDescription(record, now: authorizer.now()), status: status)
    }

    /// The sensors of these names, each checked: a misspelt one would only show as missing data.
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
