import API
import Egress
import HTTPTypes
import Hummingbird

/// Downloads of packages, for the owner.
struct DownloadRoutes {
    let authorizer: RequestAuthorizer
    let downloads: PackageDownloads

    func add(to routes: inout RouteTable) {
        routes.on(.downloads, [.post: start])
        routes.on(.download("{download}"), [.get: describe, .delete: discard])
    }

    @Sendable
    private func start(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.owner("download", request, context)
        // The message must not contain the URL, which may contain a password.
        guard let source = DownloadAddress(try await request.json(DownloadRequest.self).url) else {
            throw Problem(
                .invalidBody, "The URL of the package is invalid.",
                fix: "Write it like https://example.org/app.zip.")
        }
        let download = try await downloads.start(source, for: client)
        var response = try Response.json(download, status: .created)
        response.headers[.location] = APIPath.download(download.id).description
        return response
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("download", request, context)
        return try .json(await downloads.description(of: context.required("download")))
    }

    @Sendable
    private func discard(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("download", request, context)
        try await downloads.discard(context.required("download"))
        return Response(status: .noContent)
    }
}
