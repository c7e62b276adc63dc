import API
import Addresses
import Egress
import HTTPTypes
import Hummingbird
import JSApps

/// Downloads of packages, for the owner.
struct DownloadRoutes {
    let authorizer: RequestAuthorizer
    let downloads: PackageDownloads
    let catalogues: CatalogueStore

    func add(to routes: inout RouteTable) {
        routes.on(.downloads, [.post: start])
        routes.on(.download("{download}"), [.get: describe, .delete: discard])
    }

    @Sendable
    private func start(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.owner("download", request, context)
        let source = try await source(request.json(DownloadRequest.self))
        let download = try await downloads.start(source, for: client)
        var response = try Response.json(download, status: .created)
        response.headers[.location] = APIPath.download(download.id).description
        return response
    }

    private func source(_ body: DownloadRequest) async throws -> PackageDownloads.Source {
        if let name = body.package, let catalogue = body.catalogue, body.url == nil {
            let known = try await catalogues.catalogue(named: catalogue)
            let package = try known.index.package(named: name)
            switch CatalogueLocation(known.address) {
            case .folder(let path, _): return .file(package, folder: path)
            case .web(let index):
                guard let url = index.resolving(package.file),
                    let address = DownloadAddress(url.description)
                else { throw CatalogueReader.invalidAddress }
                return .listed(package, address)
            case nil: throw CatalogueReader.invalidAddress
            }
        }
        // The message must not contain the URL, which may contain a password.
        guard body.package == nil, body.catalogue == nil, let url = body.url,
            let address = DownloadAddress(url)
        else {
            throw Problem(
                .invalidBody, "The URL of the package is invalid.",
                fix: "Write it like https://example.org/app.zip.")
        }
        return .address(address)
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
