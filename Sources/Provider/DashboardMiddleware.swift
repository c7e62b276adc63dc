import API
import Auth
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Resources
import Text

/// Serves the pages of the dashboard and their files on the owner's origin.
///
/// They are the same for everyone and contain nothing about this machine: what they show comes from the
/// API, with the token of a session.
struct DashboardMiddleware: RouterMiddleware {
    /// The path of the link that opens the dashboard, before its fragment.
    ///
    /// With a query, so that a browser loads the page also where it shows `/` already: a change of the
    /// fragment alone would not load a page with a nonce.
    static let launchPath = "/?open"

    let launches: PageLaunches
    let tiles: MapTileFiles

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        guard context.isAtOwnersOrigin else {
            if context.transport == .control { try await checkToken(of: request) }
            return try await next(request, context)
        }
        let path = request.uri.path
        if let response = try await tiles.response(to: request) { return response }
        let isPage = DashboardPage.isShown(at: path)
        guard let file = isPage ? DashboardFile.page : DashboardFile(at: path) else {
            return try await responseOrPage(request, context, next)
        }
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(request.method, allowed: ["GET", "HEAD"])
        }
        // A service worker would see the token of every call, and outlive the session.
        guard request.headers[.serviceWorker] == nil else { throw Problem.serviceWorker }
        guard !isPage || DashboardPage.isAccepted(by: request) else { throw Problem.forBrowsers }
        var response: Response
        if path == "/", let nonce = await launches.nonce(for: .dashboard, request, context) {
            response = file.response(nonce.inserted(into: file.content))
            // A page with a nonce must not be shown from a cache. It is not compressed: the size of what is
            // compressed together with a secret can reveal it.
            response.headers[.cacheControl] = "no-store"
        } else {
            response = file.response(to: request)
        }
        if isPage {
            response.headers[.contentSecurityPolicy] = DashboardPage.policy
            // The pages of apps that the dashboard opens learn its origin, but not its path.
            response.headers[.referrerPolicy] = "origin"
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// The response of a route; for a browser that opens an address at which there is nothing, a page that
    /// says so.
    private func responseOrPage(
        _ request: Request, _ context: ProviderContext,
        _ next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let isOpened =
                (request.method == .get || request.method == .head) && !request.isCall
                && DashboardPage.isAccepted(by: request)
            guard isOpened, Problem(error, logger: nil).code == .notFound else {
                throw error
            }
            let response = NotFoundPage.response(for: request.uri.path)
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    /// Refuses the token of a dashboard session over the control socket, because only a page may use it.
    ///
    /// At the origin of an app, every token that is not the app's is refused.
    private func checkToken(of request: Request) async throws {
        let token = request.headers[.authorization].flatMap {
            TokenScheme.token(in: $0, among: [.bearer, .token, .basic])
        }
        guard let token, await launches.authority.isOfDashboard(token: token) else { return }
        throw Problem(.invalidToken, "The token of a page is valid only at http://localhost:PORT.")
    }
}

/// The page of the dashboard, which is the same at all its paths.
private enum DashboardPage {
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        + " require-trusted-types-for 'script'; trusted-types 'none'"

    static func isShown(at path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch (parts.first, parts.count) {
        case ("", 1), ("apps", 1), ("activity", 1), ("sessions", 1), ("alerts", 1), ("machine", 1):
            return true
        case ("sensors", 2), ("apps", 2), ("sessions", 2), ("alerts", 2): return parts.last != ""
        default: return false
        }
    }

    /// Whether the client names HTML among what it accepts, as browsers do for pages.
    static func isAccepted(by request: Request) -> Bool {
        let form = { (range: String) in range == "text/html" ? true : nil }
        return ContentNegotiation.best(of: request.headers[.accept] ?? "", form) == true
    }
}

/// A file of the dashboard, as it is and compressed.
///
/// Every file is compressed once, when the first one is requested. None contains a secret: a page with a nonce
/// is a changed form of the file, which is not compressed.
struct DashboardFile: Sendable {
    /// The bytes of a response, and the tag of exactly these bytes.
    private struct Form {
        let bytes: ByteBuffer
        let tag: String

        init(_ content: [UInt8]) {
            bytes = ByteBuffer(bytes: content)
            tag = "\"\(Data(SHA256.hash(data: content)).prefix(12).hexadecimal)\""
        }
    }

    private static let files = Dictionary(
        DashboardFiles.all.map { ($0.name, DashboardFile($0.name, $0.content.bytes)) },
        uniquingKeysWith: { $1 })
    /// The page.
    static let page = files["index.html"]
    /// The component for charts, for the pages of apps as well.
    static let charts = files["charts.js"]
    /// The path of ``charts`` on every origin.
    static let chartsPath = "/lib/charts.js"

    let content: [UInt8]
    private let type: FileType
    private let plain: Form
    /// `nil` if there was not enough memory to compress it.
    private let compressed: Form?

    private init(_ name: String, _ content: [UInt8]) {
        self.content = content
        type = FileType(ending: name.split(separator: ".").last.map(String.init) ?? "")
        plain = Form(content)
        compressed = Gzip.compressed(content).map(Form.init)
    }

    /// The file at a path; `nil` if there is none.
    init?(at path: String) {
        let prefix = "/dashboard/"
        let found =
            path == Self.chartsPath
            ? Self.charts
            : path.hasPrefix(prefix) ? Self.files[String(path.dropFirst(prefix.count))] : nil
        guard let found else { return nil }
        self = found
    }

    /// The file in the coding that the client prefers, or 304 for a browser that has it.
    func response(to request: Request) -> Response {
        var (form, coding) = (plain, ContentCoding.identity)
        if let compressed, ContentCoding(acceptEncoding: request.headers[.acceptEncoding]) == .gzip
        {
            (form, coding) = (compressed, .gzip)
        }
        let known = request.headers[.ifNoneMatch] ?? ""
        // If-None-Match compares weakly: `W/` before a tag does not count.
        let tags = known.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        let isKnown = tags.contains { $0 == form.tag || $0 == "W/\(form.tag)" || $0 == "*" }
        var response = isKnown ? Response(status: .notModified) : response(form.bytes)
        if !isKnown, coding != .identity { response.headers[.contentEncoding] = coding.rawValue }
        response.headers[.cacheControl] = "no-cache"
        response.headers[.eTag] = form.tag
        response.headers[.vary] = "Accept-Encoding"
        return response
    }

    /// A changed form of the file, which is not compressed.
    func response(_ content: [UInt8]) -> Response { response(ByteBuffer(bytes: content)) }

    private func response(_ bytes: ByteBuffer) -> Response {
        Response(
            status: .ok, headers: [.contentType: type.rawValue], body: .init(byteBuffer: bytes))
    }
}

extension ProviderContext {
    /// Whether the request arrived over TCP at the owner's origin, where the dashboard is.
    var isAtOwnersOrigin: Bool { transport == .network && origin == .owner }
}

extension Problem {
    fileprivate static let forBrowsers = Problem(
        .notFound, "This is a page of the dashboard, for browsers.",
        fix: "Open it with: nervous open")
}
