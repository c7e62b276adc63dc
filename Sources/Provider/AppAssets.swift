import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Resources

/// The files that pages load: those of an app, those that the host has for all of them, and the
/// libraries of the system.
struct AppAssets: Sendable {
    /// Where the first and the second generation of apps find their own files, before their name.
    private static let ownFolders = ["nervous-jsapps", "nervousnet-axons", "axon-res"]

    let library: AppLibrary
    let libraries: SystemLibraries

    /// The answer to a path on the origin of an app.
    ///
    /// - Throws: `Problem` where there is nothing.
    func response(to path: String, of name: String) async throws -> Response {
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
            var response = Self.response(
                try await library.contents(of: wanted, in: app), type: type)
            response.headers[.contentSecurityPolicy] = PagePolicy(app, wanted).text
            return response
        }
        if wanted == "favicon.ico" { return Self.icon(of: app) }
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
            throw Problem.notFound("Another app's files are at the address of that app.")
        }
        let rest = parts.count > 2 ? String(parts[2]) : ""
        return rest.isEmpty ? app.generation.page : rest
    }

    /// What every app finds at the same place.
    private func shared(_ path: String) async throws -> Response? {
        switch path {
        case "/nervous.js", "/_host/nervous.js": Self.response(SDK.page, type: .javascript)
        case "/nervous.d.ts", "/_host/nervous.d.ts": Self.response(SDK.typings, type: .text)
        case "/_host/jquery.js": try await systemFile("jquery/jquery.js")
        case "/nervous-resources/nervousAPI.js", "/nervousnet-axon-resources/libs.js":
            Self.response(await libs(), type: .javascript)
        case "/nervous-resources/nervous.css", "/nervousnet-axon-resources/styles.css":
            Self.response(ProviderFiles.stylesCSS.bytes, type: .css)
        default: nil
        }
    }

    /// jQuery as the system has it, and what the host adds.
    private func libs() async -> [UInt8] {
        let jquery = SystemLibraries.Library.jquery
        let missing = """
            console.error("jQuery is not installed on this host: apt install \(jquery.package)");

            """
        let first = await libraries.script(of: jquery) ?? Array(missing.utf8)
        let separator = Array("\n;\n".utf8)
        return first + separator + SDK.page + ProviderFiles.libsJS.bytes
    }

    /// What browsers ask for by themselves: the picture of a published app, or nothing.
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
        case .none: throw Problem.notFound("The app has no such file, and no library has it.")
        }
    }

    private static func response(_ bytes: [UInt8], type: FileType) -> Response {
        Response(
            status: .ok, headers: [.contentType: type.rawValue],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
