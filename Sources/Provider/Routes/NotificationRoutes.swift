import Auth
import HTTPTypes
import Hummingbird
import NIOCore
import Samples
import ServiceLifecycle

/// Messages of apps to the person, and what the owner follows of them and of refused calls.
struct NotificationRoutes {
    let door: Door
    let heartbeat: Duration

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/notifications", [.post: notify])
        routes.on("api/v1/notifications/stream", [.get: stream])
    }

    private struct Message: Decodable {
        let title: String
        let body: String?
        let tag: String?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case title, body, tag
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
            let members = try decoder.container(keyedBy: CodingKeys.self)
            title = try members.decode(String.self, forKey: .title)
            body = try members.decodeIfPresent(String.self, forKey: .body)
            tag = try members.decodeIfPresent(String.self, forKey: .tag)
        }
    }

    @Sendable
    private func notify(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("notify", using: .notify, request, context)
        let message = try await request.json(Message.self)
        try await door.authority.tell(
            title: message.title, body: message.body, tag: message.tag, from: client)
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
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let (presence, departure) = AsyncStream.makeStream(of: Void.self)
                let (notices, watcher) = await door.authority.noticeBoard.watch(after: last)
                do {
                    try await request.whilePresent(context) {
                        do {
                            try await follow(notices, request, context, presence, &writer)
                        } catch let error as AuthError {
                            try await writer.write(StreamEvent.problem(Problem(error)))
                        }
                    } onDeparture: {
                        departure.finish()
                    }
                } catch {
                    await door.authority.noticeBoard.unwatch(watcher)
                    throw error
                }
                await door.authority.noticeBoard.unwatch(watcher)
                try await writer.finish(nil)
            }
        ).endingConnection(context)
    }

    /// Goes on until the reader leaves or the host stops; ends by throwing when the token has ended.
    ///
    /// - Parameter presence: ends when the reader has left.
    private func follow(
        _ notices: AsyncStream<Notice>, _ request: Request, _ context: ProviderContext,
        _ presence: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        // Nothing is the beat that keeps the connection alive.
        let (turns, turn) = AsyncStream.makeStream(
            of: Notice?.self, bufferingPolicy: .bufferingNewest(256))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for await notice in notices { turn.yield(notice) } }
            group.addTask {
                try? await gracefulShutdown()
                turn.finish()
            }
            group.addTask {
                for await _ in presence {}
                turn.finish()
            }
            group.addTask {
                while (try? await Task.sleep(for: heartbeat)) != nil { turn.yield(nil) }
            }
            try await writer.write(ByteBuffer(string: ": notifications\n\n"))
            for await notice in turns {
                if await !door.isStillOwner(request, context) {
                    try await door.owner("notifications", request, context)
                }
                try await writer.write(Self.event(notice))
            }
            group.cancelAll()
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
