import API
import Auth
import HTTPTypes
import Hummingbird
import NIOCore
import Samples

/// Messages of apps to the person, and what the owner follows of them and of refused calls.
struct NotificationRoutes {
    let door: Door
    let heartbeat: Duration

    func add(to routes: inout RouteTable) {
        routes.on(.notifications, [.post: notify])
        routes.on(.view, [.put: view])
        routes.on(.notificationStream, [.get: stream])
    }

    /// What a page says of itself: whether somebody sees it.
    @Sendable
    private func view(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("view", request, context)
        let view = try await request.json(ViewRequest.self)
        // A headless run has a terminal or none, which the host knows by itself.
        if context.transport != .runner {
            await door.authority.note(client, isVisible: view.visible)
        }
        return Response(status: .noContent)
    }

    @Sendable
    private func notify(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("notify", using: .notify, request, context)
        let message = try await request.json(NotificationRequest.self)
        // Whoever watches a run at a terminal sees its lines.
        let isAtTerminal = context.transport == .runner && client.isWatched
        guard !(message.unlessViewed && isAtTerminal) else {
            return Response(status: .noContent)
        }
        try await door.authority.tell(
            title: message.title, body: message.body, tag: message.tag,
            unlessViewed: message.unlessViewed, from: client)
        return Response(status: .noContent)
    }

    // MARK: - The owner's

    /// Server-Sent Events; a reader that comes back with `Last-Event-ID` gets what it missed, as far as
    /// the host still knows it.
    @Sendable
    private func stream(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("notifications", request, context)
        let last = try request.headers[.lastEventID].map { text in
            guard let id = Int64(text), id >= 0 else {
                throw Problem.invalidParameter("Last-Event-ID", "the id of an event is needed")
            }
            return id
        }
        return Response.events { writer in
            let (notices, watcher) = await door.authority.noticeBoard.watch(after: last)
            do {
                try await request.whilePresent(context) { presence in
                    do {
                        try await follow(notices, request, context, presence, &writer)
                    } catch let error as AuthError {
                        try await writer.write(StreamEvent.problem(Problem(error)))
                    }
                }
            } catch {
                await door.authority.noticeBoard.unwatch(watcher)
                throw error
            }
            await door.authority.noticeBoard.unwatch(watcher)
        }.endingConnection(context)
    }

    /// Goes on until the reader leaves or the host stops; ends by throwing when the token has ended.
    ///
    /// - Parameter presence: ends when the reader has left.
    private func follow(
        _ notices: AsyncStream<Notice>, _ request: Request, _ context: ProviderContext,
        _ presence: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let turns = EventTurns(signals: notices, heartbeat: heartbeat, presence: presence)
        try await turns.follow(keeping: 256) { turns in
            try await writer.write(ByteBuffer(string: ": notifications\n\n"))
            for await notice in turns {
                if await !door.isStillOwner(request, context) {
                    try await door.owner("notifications", request, context)
                }
                try await writer.write(Self.event(notice))
            }
        }
    }

    private static func event(_ notice: Notice?) throws -> ByteBuffer {
        guard let notice else { return StreamEvent.heartbeat }
        var buffer = ByteBuffer(string: "id: \(notice.id)\nevent: notification\ndata: ")
        buffer.writeBytes(try JSONText.encode(NoticeItem(notice)))
        buffer.writeString("\n\n")
        return buffer
    }
}
