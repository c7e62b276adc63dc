import API
import AsyncAlgorithms
import Auth
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import ServiceLifecycle

/// Runs of apps, for the owner: to prepare, start, see and stop.
struct RunRoutes {
    let door: Door
    let supervisor: RunSupervisor

    func add(to routes: inout RouteTable) {
        routes.on(.runs(of: "{app}"), [.post: prepare])
        routes.on(.runs, [.get: list])
        routes.on(.run("{run}"), [.get: describe, .delete: stop])
        routes.on(.start(ofRun: "{run}"), [.post: start])
    }

    @Sendable
    private func prepare(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("run", request, context)
        let name = try context.decoded("app").required("app")
        var request = request
        let wishes = try await request.optionalJSON(PrepareRunRequest.self)
        let run = try await supervisor.prepare(
            app: name, isWatched: wishes?.background != true)
        var response = try Response.json(RunDescription(run), status: .created)
        response.headers[.location] = APIPath.run(run.id).description
        return response
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("runs", request, context)
        return try .json(ItemList(await supervisor.runs().map { RunDescription($0) }))
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("run", request, context)
        let report = try await supervisor.report(try id(context))
        let console = await supervisor.console(of: report.id).map(RunEventItem.init)
        return try .json(RunDescription(report, console: console))
    }

    @Sendable
    private func stop(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("stop-run", request, context)
        return try .json(RunDescription(try await supervisor.stop(try id(context))))
    }

    /// Starts a run.
    ///
    /// One that a person watches answers with what it says, line by line, and is stopped when the
    /// reader leaves.
    @Sendable
    private func start(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("start-run", request, context)
        var whole = request
        let wishes = try await whole.optionalJSON(StartRunRequest.self) ?? StartRunRequest()
        let request = whole
        let report = try await supervisor.report(try id(context))
        guard report.state == .prepared else { throw Problem.runHasStarted(report.id) }
        guard report.isWatched else {
            try await supervisor.runInBackground(
                report.id, isInsecure: wishes.insecure == true)
            let now = try await supervisor.report(report.id)
            return try .json(RunDescription(now), status: .accepted)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // The app waits while its reader does.
                let events = AsyncChannel<RunEventItem>()
                let work = Task { await run(report.id, wishes, events) }
                // A channel that nobody reads would hold up the app's end.
                let leave: @Sendable () -> Void = {
                    work.cancel()
                    events.finish()
                }
                defer { leave() }
                try await withGracefulShutdownHandler {
                    try await request.whilePresent(context) {
                        for await event in events {
                            try await writer.write(ByteBuffer(bytes: JSONText.encode(event)))
                            try await writer.write(ByteBuffer(string: "\n"))
                        }
                    } onDeparture: {
                        leave()
                    }
                } onGracefulShutdown: {
                    // The reader is told how it ended.
                    Task { _ = try? await supervisor.stop(report.id) }
                }
                try await writer.finish(nil)
            }
        ).endingConnection(context)
    }

    private func run(
        _ id: String, _ wishes: StartRunRequest, _ events: AsyncChannel<RunEventItem>
    ) async {
        let requests = await door.authority.watchRequests(of: id)
        let asking = Task {
            for await request in requests { await events.send(RunEventItem(asks: request)) }
        }
        let (notices, watcher) = await door.authority.noticeBoard.watch()
        let telling = Task {
            for await notice in notices {
                guard case .message(let message) = notice.content, message.run == id else {
                    continue
                }
                await events.send(RunEventItem(message))
            }
        }
        let leave = { @Sendable in
            await door.authority.unwatchRequests(of: id)
            await door.authority.noticeBoard.unwatch(watcher)
            await asking.value
            await telling.value
        }
        do {
            let ended = try await supervisor.run(
                id, isInsecure: wishes.insecure == true, presentation: wishes.presentation
            ) { event in
                await events.send(RunEventItem(event))
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
        try context.decoded("run").required("run")
    }
}
