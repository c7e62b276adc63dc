public import API
public import AppRuns
import AppStorage
import AsyncAlgorithms
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Samples
import ServiceLifecycle

/// Runs of apps, for the owner.
struct RunRoutes {
    let authorizer: RequestAuthorizer
    let supervisor: RunSupervisor

    func add(to routes: inout RouteTable) {
        routes.on(.runs(of: "{app}"), [.post: prepare])
        routes.on(.runs, [.get: list])
        routes.on(.run("{run}"), [.get: describe, .delete: stop])
        routes.on(.start(ofRun: "{run}"), [.post: start])
        routes.on(.broker(ofRun: "{run}"), [.post: consult])
    }

    @Sendable
    private func prepare(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("run", request, context)
        let name = try context.required("app")
        var request = request
        let body = try await request.optionalJSON(PrepareRunRequest.self)
        let run = try await supervisor.prepare(
            app: name, isForeground: body?.background != true)
        var response = try Response.json(RunDescription(run), status: .created)
        response.headers[.location] = APIPath.run(run.id).description
        return response
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("runs", request, context)
        return try .json(ItemList(await supervisor.runs().map { RunDescription($0) }))
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("run", request, context)
        let report = try await supervisor.report(try id(context))
        let console = await supervisor.console(of: report.id).map {
            RunEventItem($0.event, at: $0.time)
        }
        return try .json(RunDescription(report, console: console))
    }

    @Sendable
    private func stop(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("stop-run", request, context)
        return try .json(RunDescription(try await supervisor.stop(try id(context))))
    }

    /// Asks the policy broker, and returns what it decided for the run.
    @Sendable
    private func consult(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("consult-broker", request, context)
        let body = try await request.json(BrokerRequest.self)
        guard body.privileges.count <= BrokerRequest.limit else {
            throw Problem.invalidBody(
                "privileges must be a list of at most \(BrokerRequest.limit).")
        }
        let privileges = try body.privileges.map { try PrivilegeID(checking: $0) }
        let authority = authorizer.authority
        let decided = try await authority.consultBroker(about: privileges, for: try id(context))
        let policy = await authority.permissions.policy
        return try .json(ItemList(decided.map { DecisionDescription($0, policy) }))
    }

    /// Starts a run.
    ///
    /// A run in the foreground returns its events line by line, and is stopped when the client
    /// disconnects.
    @Sendable
    private func start(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("start-run", request, context)
        var whole = request
        let body = try await whole.optionalJSON(StartRunRequest.self) ?? StartRunRequest()
        let request = whole
        let report = try await supervisor.report(try id(context))
        guard report.state == .prepared else { throw Problem.runHasStarted(report.id) }
        guard report.isForeground else {
            try await supervisor.runInBackground(
                report.id, isInsecure: body.insecure == true)
            let now = try await supervisor.report(report.id)
            return try .json(RunDescription(now), status: .accepted)
        }
        return Response.lines { writer in
            // The channel has no buffer, so the app waits while the client does not read.
            let events = AsyncChannel<RunEventItem>()
            let work = Task { await run(report.id, body, events) }
            // A channel without a reader would block the end of the run.
            let leave: @Sendable () -> Void = {
                work.cancel()
                events.finish()
            }
            defer { leave() }
            try await withGracefulShutdownHandler {
                try await request.whileConnected(context) {
                    for await event in events {
                        try await writer.writeLine(event)
                    }
                } onDisconnect: {
                    leave()
                }
            } onGracefulShutdown: {
                // The client then receives the event `ended`.
                Task { _ = try? await supervisor.stop(report.id) }
            }
        }.endingConnection(context)
    }

    private func run(
        _ id: String, _ body: StartRunRequest, _ events: AsyncChannel<RunEventItem>
    ) async {
        let requests = await authorizer.authority.watchRequests(of: id)
        let asking = Task {
            for await request in requests { await events.send(RunEventItem(asks: request)) }
        }
        let refusals = await authorizer.authority.watchRefusals(of: id)
        let reporting = Task {
            for await refusal in refusals { await events.send(RunEventItem(refused: refusal)) }
        }
        let (notices, watcher) = await authorizer.authority.noticeBoard.watch()
        let forwarding = Task {
            for await notice in notices {
                guard case .message(let message) = notice.content, message.run == id else {
                    continue
                }
                await events.send(RunEventItem(message))
            }
        }
        let leave = { @Sendable in
            await authorizer.authority.unwatchRequests(of: id)
            await authorizer.authority.unwatchRefusals(of: id)
            await authorizer.authority.noticeBoard.unwatch(watcher)
            await asking.value
            await reporting.value
            await forwarding.value
        }
        do {
            let ended = try await supervisor.run(
                id, isInsecure: body.insecure == true, presentation: body.presentation
            ) { event in
                await events.send(RunEventItem(event, at: authorizer.now()))
            }
            await leave()
            await events.send(RunEventItem(ended: ended))
        } catch {
            await leave()
            await events.send(RunEventItem(failed: Problem(error, logger: nil)))
        }
        events.finish()
    }

    private func id(_ context: ProviderContext) throws -> String {
        try context.required("run")
    }
}

extension RunDescription {
    /// - Parameter console: the last lines of its console, if requested.
    public init(_ report: RunReport, console: [RunEventItem]? = nil) {
        self.init(
            run: report.id, app: report.app, state: report.state.rawValue,
            background: !report.isForeground, started: Self.milliseconds(report.started),
            ended: report.ended.map(Self.milliseconds),
            ending: report.ending.map {
                Ending(name: $0.name, exitCode: $0.exitCode, detail: $0.detail)
            }, restarts: report.restarts, gaveUp: report.hasGivenUp,
            usage: Usage(
                cpu: Double(report.usage.cpu / .microseconds(1)) / 1000,
                memory: report.usage.memory, calls: report.usage.calls,
                samples: report.usage.samples, logged: report.usage.logged),
            layers: report.layers, console: console)
    }

    private static func milliseconds(_ date: Date) -> Double {
        (date.timeIntervalSince1970 * 1000).rounded()
    }
}

extension RunEventItem {
    init(_ event: RunEvent, at time: Timestamp) {
        switch event {
        case .started(let layers): self.init(event: "started", layers: layers)
        case .console(let level, let text):
            self.init(event: "console", level: "\(level)", text: text)
        case .uncaught(let message, let place, let stack):
            self.init(event: "uncaught", text: message, place: place, stack: stack)
        case .view(let text): self.init(event: "view", text: text)
        case .markup(let text): self.init(event: "markup", text: text)
        }
        self.time = time.milliseconds
    }

    init(asks request: PendingRequest) {
        self.init(event: "asks", privilege: request.privilege.description)
    }

    init(refused refusal: Refusal) {
        self.init(
            event: "refused", text: refusal.message, privilege: refusal.privilege.description,
            fix: refusal.hint)
    }

    init(_ message: AppMessage) {
        self.init(event: "message", text: message.body, title: message.title)
    }

    init(ended report: RunReport) {
        self.init(event: "ended", run: RunDescription(report))
    }

    init(failed problem: Problem) {
        self.init(
            event: "failed", text: problem.detail, code: problem.codeName, fix: problem.fix)
    }
}

extension StartRunRequest {
    var presentation: RunPresentation {
        RunPresentation(
            showsText: view == true, showsMarkup: markup == true,
            lifetime: lifetime.map { .milliseconds(Int64($0)) })
    }
}
