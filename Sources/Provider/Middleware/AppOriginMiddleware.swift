import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore

/// Serves an app's files on the app's own origin; the API stays under `/api/` on every origin.
///
/// A file is found in the index that was made when the app was installed, never by joining a path.
struct AppOriginMiddleware: RouterMiddleware {
    private static let policy =
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self';"
        + " frame-ancestors 'none'; object-src 'none'"

    let library: AppLibrary

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard case .app(let name) = context.origin else { return try await next(request, context) }
        if path.hasPrefix("/api/") || path == "/openapi.json" || path == "/health" {
            return try await next(request, context)
        }
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(request.method, allowed: ["GET", "HEAD"])
        }
        var response = try await file(path, of: name)
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.cacheControl] = "no-cache"
        response.headers[.resourcePolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func file(_ path: String, of name: String) async throws -> Response {
        if path == "/nervous.js" {
            return Self.response(PackageResources.nervous_js, type: .javascript)
        }
        let app: InstalledApp
        do {
            app = try await library.app(named: name)
        } catch {
            throw Problem.notFound("No app of this name is installed.")
        }
        let wanted = path == "/" ? "app.html" : String(path.dropFirst())
        guard let decoded = wanted.removingPercentEncoding,
            app.index.files.contains(where: { $0.path == decoded })
        else { throw Problem.notFound("The app has no such file.") }
        let ending = decoded.split(separator: ".").last.map(String.init) ?? ""
        return Self.response(
            try await library.contents(of: decoded, in: app), type: FileType(ending: ending))
    }

    private static func response(_ bytes: [UInt8], type: FileType) -> Response {
        Response(
            status: .ok, headers: [.contentType: type.rawValue],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
