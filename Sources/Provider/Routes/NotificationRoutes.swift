import API
import AppStorage
import Auth
import HTTPTypes
import Hummingbird
import NIOCore
import Samples

/// Messages of apps to the owner, and the stream of notices for the owner.
struct NotificationRoutes {
    let authorizer: RequestAuthorizer
    let heartbeat: Duration

    func add(to routes: inout RouteTable) {
        routes.on(.notifications, [.post: notify])
        routes.on(.view, [.put: view])
        routes.on(.notificationStream, [.get: stream])
    }

    /// Records whether the page of an app is visible.
    @Sendable
    private func view(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("view", request, context)
        let view = try await request.json(ViewRequest.self)
        // Calls of a headless run have no effect: the host itself knows whether a terminal watches
        // the run.
        if context.transport != .runner {
            await authorizer.authority.noticeBoard.setVisible(
                view.visible, app: client.name, run: client.run)
        }
        return Response(status: .noContent)
    }

    @Sendable
    private func notify(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("notify", using: .notify, request, context)
        let message = try await request.json(NotificationRequest.self)
        // The terminal that watches a run displays the event itself.
        let isAtTerminal = context.transport == .runner && client.isForeground
        guard !(message.unlessViewed && isAtTerminal) else {
            return Response(status: .noContent)
        }
        try await authorizer.authority.notify(
            title: message.title, body: message.body, tag: message.tag,
            unlessVisible: message.unlessViewed, from: client)
        return Response(status: .noContent)
    }

    // MARK: - For the owner

    /// Server-Sent Events; a client that reconnects with `Last-Event-ID` gets the notices that it
    /// missed, as far as the host still has them.
    @Sendable
    private func stream(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("notifications", request, context)
        let last = try request.headers[.lastEventID].map { text in
            guard let id = Int64(text), id >= 0 else {
                throw Problem.invalidParameter("Last-Event-ID", "must be the id of an event")
            }
            return id
        }
        return Response.events { writer in
            let (notices, watcher) = await authorizer.authority.noticeBoard.watch(after: last)
            do {
                try await request.whileConnected(context) { connection in
                    do {
                        try await follow(notices, request, context, connection, &writer)
                    } catch let error as AuthError {
                        try await writer.write(StreamEvent.problem(Problem(error)))
                    }
                }
            } catch {
                await authorizer.authority.noticeBoard.unwatch(watcher)
                throw error
            }
            await authorizer.authority.noticeBoard.unwatch(watcher)
        }.endingConnection(context)
    }

    /// Writes notices until the client disconnects or the host stops; throws when the token ends.
    ///
    /// - Parameter connection: ends when the client disconnects.
    private func follow(
        _ notices: AsyncStream<Notice>, _ request: Request, _ context: ProviderContext,
        _ connection: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let events = EventStream(signals: notices, heartbeat: heartbeat, connection: connection)
        try await events.follow(keeping: 256) { notices in
            try await writer.write(ByteBuffer(string: ": notifications\n\n"))
            for await notice in notices {
                if await !authorizer.isStillOwner(request, context) {
                    try await authorizer.owner("notifications", request, context)
                }
                try await writer.write(
                    notice.map { try StreamEvent.notice($0) } ?? StreamEvent.heartbeat)
            }
        }
    }
}
