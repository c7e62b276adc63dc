import API
import Auth
import Egress
import HTTPTypes
import Hummingbird

/// Uploads that wait; for the owner.
struct OutboxRoutes {
    let authorizer: RequestAuthorizer
    let outbox: Outbox

    func add(to routes: inout RouteTable) {
        routes.on(.outbox, [.get: list])
        routes.on(.upload("{delivery}"), [.delete: discard])
        routes.on(.send(ofUpload: "{delivery}"), [.post: send])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("outbox", request, context)
        return try .json(ItemList(await outbox.queued.map(UploadDescription.init)))
    }

    @Sendable
    private func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("send-again", request, context)
        return try .json(SendReply(await outbox.retry(id(context))))
    }

    @Sendable
    private func discard(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("discard-delivery", request, context)
        try await outbox.discard(id(context))
        return Response(status: .noContent)
    }

    private func id(_ context: ProviderContext) throws -> String {
        try context.required("delivery")
    }
}
