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

/// Sessions such as a workout, a trip or a measurement.
struct SessionRoutes {
    private static let location: SensorID = "location"

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let book: SessionBook
    let reader: SessionRouteReader
    let samples: SessionSampleReader
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
        routes.on(.samples(ofSession: "{session}"), [.get: samples])
        routes.on(.send(ofSession: "{session}"), [.post: send])
    }

    // MARK: - Sessions

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("sessions", .read, request, context)
        try request.rejectParameters(except: ["cursor", "limit"])
        let page = try await book.page(
            after: request.parameter("cursor"), limit: request.limit(atMost: 1000),
            in: caller.scope)
        let now = authorizer.now()
        let items = page.records.map { SessionDescription($0, now: now, for: caller) }
        var response = try Response.json(ItemList(items, next: page.next))
        if let next = page.next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("create-session", .write, request, context)
        let body = try await request.json(SessionRequest.self)
        guard let name = body.name,
            let sensors = try await known(body.sensors, caller, request, context)
        else {
            throw Problem.invalidBody("name and sensors are required.")
        }
        guard body.distance == nil else {
            throw Problem.invalidBody("distance can be set only on an existing session.")
        }
        let draft = try SessionDraft(
            name: name, description: body.description ?? "", sensors: sensors)
        let record = try await book.create(draft, id: body.id, by: caller.creator)
        var response = try described(record, caller, status: .created)
        response.headers[.location] = APIPath.session(record.session.id).description
        return response
    }

    @Sendable
    private func show(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("session", .read, request, context)
        let record = try await book.record(context.required("session"), in: caller.scope)
        return try described(record, caller)
    }

    @Sendable
    private func update(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("update-session", .write, request, context)
        let body = try await request.json(SessionRequest.self)
        guard body.id == nil else {
            throw Problem.invalidBody("The id of a session cannot be changed.")
        }
        let change = SessionChange(
            name: body.name, description: body.description,
            sensors: try await known(body.sensors, caller, request, context),
            distance: body.distance)
        return try described(
            await book.update(context.required("session"), change, in: caller.scope), caller)
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("remove-session", .write, request, context)
        try await book.remove(context.required("session"), in: caller.scope)
        return Response(status: .noContent)
    }

    private func apply(
        _ step: SessionStep, _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let caller = try await authorizer.sessions(
            "\(step.rawValue)-session", .write, request, context)
        let id = try context.required("session")
        do {
            if step == .resume {
                try await reader.checkResumption(
                    of: book.record(id, in: caller.scope), request, context)
            }
            return try described(await book.apply(step, to: id, in: caller.scope), caller)
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
        let caller = try await authorizer.sessions("session-route", .read, request, context)
        let document = try await document(in: caller.scope, request, context)
        var response = Response(
            status: .ok, headers: [.contentType: document.form.rawValue, .vary: "Accept"],
            body: .init(byteBuffer: ByteBuffer(string: document.text)))
        response.headers[.damaged] = document.damage.damageField
        return response
    }

    @Sendable
    private func samples(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("session-samples", .read, request, context)
        try request.rejectParameters(except: ["format", "sensor"])
        let form = try SessionSampleForm(request)
        let record = try await book.record(context.required("session"), in: caller.scope)
        let document = try await samples.document(record, form, request, context)
        var response = Response(
            status: .ok, headers: [.contentType: form.mediaType, .vary: "Accept"],
            body: .init(byteBuffer: document.content))
        response.headers[.damaged] = document.damage.damageField
        return response
    }

    /// Uploads the route, or the samples of a sensor, to a server of the owner's choice.
    @Sendable
    private func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("send-session", request, context)
        let body = try await request.json(SendRequest.self)
        guard let address = WebAddress(body.to) else {
            throw Problem.invalidBody("to must be an http or https URL.")
        }
        let record = try await book.record(context.required("session"))
        let content = try await content(of: record, request, context)
        // The last interval of an active session has no end here, since a sensor's clock may be ahead.
        let spans = record.session.spans(until: .distantFuture)
        let range = TimeRange(
            from: spans.first?.from ?? .distantPast, to: spans.last?.to ?? .distantFuture)
        let upload = try Upload(
            to: address, title: "\(record.session.name) (\(content.form))",
            mediaType: content.type, body: content.bytes, tokenFile: body.tokenFile,
            sensors: content.sensors, range: range)
        let outcome = try await outbox.send(upload, keeps: body.keep ?? true)
        return try .json(SendReply(outcome, damaged: content.damage.damageField))
    }

    /// The body of an upload.
    private struct Content {
        /// The short name of its form.
        let form: String
        let type: String
        let bytes: [UInt8]
        /// The sensors whose samples it has.
        let sensors: [SensorID]
        let damage: [TimeRange]
    }

    /// The route of a session if it has one and the request names neither a form of samples nor a
    /// sensor without positions; otherwise samples.
    private func content(
        of record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async throws -> Content {
        let format = request.parameter("format")
        let isOfRoute = ["geojson", "gpx"].contains(format)
        let isOfSamples = ["json", "ndjson", "csv"].contains(format)
        let hasRoute = await reader.hasRoute(record, by: request.parameter("sensor"))
        guard isOfRoute || hasRoute && !isOfSamples else {
            try request.rejectParameters(except: ["format", "sensor"])
            let form = try SessionSampleForm(request)
            let document = try await samples.document(record, form, request, context)
            return Content(
                form: form.name, type: form.mediaType,
                bytes: Array(document.content.readableBytesView), sensors: document.sensors,
                damage: document.damage)
        }
        let document = try await document(in: .all, request, context)
        return Content(
            form: document.form.name, type: document.form.rawValue,
            bytes: Array(document.text.utf8), sensors: [Self.location], damage: document.damage)
    }

    /// The route of the session, in the requested form.
    private func document(
        in scope: SessionScope, _ request: Request, _ context: ProviderContext
    ) async throws -> SessionRouteReader.Document {
        try request.rejectParameters(except: ["format", "sensor"])
        let form = try TrackForm(request)
        let record = try await book.record(context.required("session"), in: scope)
        return try await reader.document(record, form, request, context)
    }

    // MARK: - Private

    private func described(
        _ record: SessionRecord, _ caller: SessionCaller, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .json(SessionDescription(record, now: authorizer.now(), for: caller), status: status)
    }

    /// The sensors of these names.
    ///
    /// Each must exist; otherwise a misspelt name would be noticed only by its missing samples.
    private func known(
        _ names: [String]?, _ caller: SessionCaller, _ request: Request,
        _ context: ProviderContext
    ) async throws -> [SensorID]? {
        guard let names else { return nil }
        var sensors: [SensorID] = []
        for name in names {
            guard let id = SensorID(name) else {
                throw Problem.invalidBody(
                    "\(name.prefix(80).debugDescription) is not a sensor's name.")
            }
            let sensor =
                caller == .owner
                ? id : try await authorizer.sessionSensor(id, request, context)
            guard await !machine.instances(of: sensor).isEmpty else {
                throw Problem(unknown: sensor)
            }
            sensors.append(sensor)
        }
        return sensors
    }
}
