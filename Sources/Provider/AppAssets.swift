import AppRuns
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Resources

/// The files that pages load: the files of the app, the host's scripts, and libraries of the
/// system.
struct AppAssets: Sendable {
    /// The folders, before the name of the app, in which nervousnet apps look for their files.
    private static let ownFolders = ["nervous-jsapps", "nervousnet-axons", "axon-res"]

    let library: AppLibrary
    let libraries: SystemLibraries

    /// The file at a path on the origin of an app.
    ///
    /// - Parameter nonce: inserted into the file if it is a page.
    /// - Throws: `Problem` if there is none.
    func response(
        to request: Request, of name: String, nonce: PageNonce? = nil
    ) async throws -> Response {
        let path = request.uri.path
        if let response = try await shared(path) { return response }
        let app: InstalledApp
        do {
            app = try await library.app(named: name)
        } catch {
            throw Problem.notFound("No app of this name is installed.")
        }
        guard let decoded = path.dropFirst().removingPercentEncoding else {
            throw Problem.notFound("The app has no such file.")
        }
        let wanted = try Self.ownPath(decoded, of: app)
        if app.index.files.contains(where: { $0.path == wanted }) {
            let type = FileType(ending: wanted.split(separator: ".").last.map(String.init) ?? "")
            var contents = try await library.contents(of: wanted, in: app)
            if let nonce, type == .html { contents = nonce.inserted(into: contents) }
            var response = Self.response(contents, type: type)
            response.headers[.contentSecurityPolicy] = PagePolicy(app, wanted).text
            return response
        }
        if wanted == "favicon.ico" { return Self.icon(of: app) }
        // `../nervousAPI.js` in the page of an app of the first generation.
        if app.generation == .first, let response = try await shared("/nervous-resources/\(wanted)")
        {
            return response
        }
        if path == DashboardFile.chartsPath, let charts = DashboardFile.charts {
            return charts.response(to: request)
        }
        let prefix = "lib/"
        guard decoded.hasPrefix(prefix) else { throw Problem.notFound("The app has no such file.") }
        return try await systemFile(String(decoded.dropFirst(prefix.count)))
    }

    /// The path of a file inside the app's folder.
    private static func ownPath(_ path: String, of app: InstalledApp) throws -> String {
        if path.isEmpty { return app.generation.page }
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, ownFolders.contains(String(parts[0])) else { return path }
        let folder = app.index.folder.map { [$0] } ?? []
        let names = [app.name.text] + folder + [app.manifest.publishedName].compactMap { $0 }
        guard (names + folder.map(AppLibrary.repository)).contains(String(parts[1])) else {
            throw Problem.notFound("The files of another app are served at that app's origin only.")
        }
        let rest = parts.count > 2 ? String(parts[2]) : ""
        return rest.isEmpty ? app.generation.page : rest
    }

    /// The files that all apps have in common.
    private func shared(_ path: String) async throws -> Response? {
        switch path {
        case "/nervous.js", "/_host/nervous.js": Self.response(SDK.page, type: .javascript)
        case "/nervous.d.ts", "/_host/nervous.d.ts": Self.response(SDK.typings, type: .text)
        case "/_host/jquery.js": try await systemFile("jquery/jquery.js")
        case "/nervous-resources/nervousAPI.js":
            Self.response(await libs() + ProviderFiles.numericJS.bytes, type: .javascript)
        case "/nervousnet-axon-resources/libs.js":
            Self.response(await libs(), type: .javascript)
        case "/nervous-resources/nervous.css", "/nervousnet-axon-resources/styles.css":
            Self.response(ProviderFiles.stylesCSS.bytes, type: .css)
        default: nil
        }
    }

    /// The system's jQuery, followed by the host's scripts.
    private func libs() async -> [UInt8] {
        let jquery = SystemLibraries.Library.jquery
        let missing = """
            console.error("jQuery is not installed on this host: apt install \(jquery.package)");

            """
        let first = await libraries.script(of: jquery) ?? Array(missing.utf8)
        let separator = Array("\n;\n".utf8)
        return first + separator + SDK.page + ProviderFiles.libsJS.bytes
    }

    /// The favicon: the icon of a nervousnet app, or nothing.
    private static func icon(of app: InstalledApp) -> Response {
        guard let icon = app.manifest.icon else { return Response(status: .noContent) }
        return response(icon.bytes, type: .png)
    }

    private func systemFile(_ path: String) async throws -> Response {
        switch await libraries.file(path) {
        case .bytes(let bytes):
            return Self.response(
                bytes,
                type: FileType(ending: path.split(separator: ".").last.map(String.init) ?? "")
            )
        case .libraryMissing(let library):
            var problem = Problem.notFound("The library \(library.rawValue) is not installed.")
            problem.fix = "Install it with: apt install \(library.package)"
            throw problem
        case .none: throw Problem.notFound("Neither the app nor a library has this file.")
        }
    }

    private static func response(_ bytes: [UInt8], type: FileType) -> Response {
        Response(
            status: .ok, headers: [.contentType: type.rawValue],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// The scripts by which apps call the host, in a browser and in a runner.
enum SDK {
    /// The scripts in the order of their dependencies.
    private static let scripts = [
        ("nervous.js", ProviderFiles.nervousJS.bytes),
        ("generic-sensor.js", ProviderFiles.genericSensorJS.bytes),
        ("navigator.js", ProviderFiles.navigatorJS.bytes),
    ]

    /// All scripts as one file, for pages.
    static let page = scripts.map(\.1).reduce(into: [UInt8]()) { $0 += $1 + Array("\n;\n".utf8) }

    /// Each script, for runners.
    static let prelude = scripts.map { name, bytes in
        RunScript(name: name, source: String(decoding: bytes, as: UTF8.self))
    }

    /// The types, for TypeScript and editors.
    static let typings = ProviderFiles.nervousDTS.bytes
}

/// The media type of an app's file, by its extension.
enum FileType: String {
    case html = "text/html; charset=utf-8"
    case javascript = "text/javascript; charset=utf-8"
    case css = "text/css; charset=utf-8"
    case json = "application/json"
    case text = "text/plain; charset=utf-8"
    case svg = "image/svg+xml"
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case icon = "image/x-icon"
    case woff2 = "font/woff2"
    case bytes = "application/octet-stream"

    private static let endings: [String: FileType] = [
        "html": .html, "htm": .html, "js": .javascript, "mjs": .javascript, "css": .css,
        "json": .json, "txt": .text, "md": .text, "svg": .svg, "png": .png, "jpg": .jpeg,
        "jpeg": .jpeg, "gif": .gif, "webp": .webp, "ico": .icon, "woff2": .woff2,
    ]

    init(ending: String) {
        self = Self.endings[ending.lowercased()] ?? .bytes
    }
}

/// The Content Security Policy of a file of an app.
///
/// Everything comes from the app's own origin. Scripts may compile text with `eval`, as in a headless
/// run. Pages of nervousnet apps have inline scripts and styles: only the inline scripts that were in
/// the page at installation may run, identified by their hashes.
struct PagePolicy {
    private static let common =
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self';"
        + " frame-ancestors 'none'; object-src 'none'"

    let text: String

    /// The policy of files that are not the app's.
    static let plain = common

    init(_ app: InstalledApp, _ path: String) {
        guard app.generation.isPublished else {
            text = Self.common + "; script-src 'self' 'unsafe-eval'"
            return
        }
        let hashes = app.index.inlineScripts?[path] ?? []
        let inline = hashes.isEmpty ? [] : ["'unsafe-hashes'"] + hashes
        let scripts = ["'self'"] + inline + ["'unsafe-eval'"]
        text =
            Self.common + "; script-src \(scripts.joined(separator: " "))"
            + "; style-src 'self' 'unsafe-inline'"
    }
}
