import Auth
import Foundation
import JSApps
import Resources
import Testing
import Text

@testable import Provider

/// The files that the pages of apps load from their own origin.
struct PublishedAssetTests {
    private static let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

    private static func with(
        _ body: @Sendable (@escaping @Sendable (String) async throws -> Answer) async throws -> Void
    ) async throws {
        let page = """
            <script>inline()</script><button onclick="go(&quot;x&quot;)">x</button>
            """
        try await ServedHost.with { host in
            try await host.installPublished(
                page: page, files: ["images/beach.jpg": bytes, "lib/own.js": [65]])
            try await body { path in
                try await host.send(
                    Call("GET", path, host: "old-one.localhost:\(host.port)"))
            }
        }
    }

    @Test func `files are found under each name that published pages use`() async throws {
        try await Self.with { get in
            let page = try await get("/")
            #expect(page.status == 200)
            for path in [
                "/axon.html", "/nervousnet-axons/old-one/axon.html",
                "/nervousnet-axons/Old-One-master/axon.html", "/axon-res/Old-One/axon.html",
                "/axon-res/Old%20One/axon.html", "/axon-res/old-one/",
                "/nervous-jsapps/old-one/axon.html",
            ] {
                let answer = try await get(path)
                #expect(answer.body == page.body, "\(path)")
                #expect(answer["content-security-policy"] == page["content-security-policy"])
            }
            let image = try await get("/nervousnet-axons/old-one/images/beach.jpg")
            #expect(image.body == Self.bytes)
            #expect(image["content-type"] == "image/jpeg")
            for path in [
                "/nervousnet-axons/other/axon.html", "/nervousnet-axons/old-one/../axon.html",
                "/axon-res/old-one/none", "/axon-res/", "/nervousnet-axons",
            ] {
                #expect(try await get(path).status == 404, "\(path)")
            }
        }
    }

    @Test func `a published page runs only the inline scripts that it was installed with`()
        async throws
    {
        try await Self.with { get in
            let policy = try #require(try await get("/")["content-security-policy"])
            #expect(policy.contains("script-src 'self' 'unsafe-hashes' 'sha256-"))
            #expect(policy.matches(of: /'sha256-/).count == 2)
            #expect(policy.contains("style-src 'self' 'unsafe-inline'"))
            #expect(!policy.contains("script-src 'self' 'unsafe-inline'"))
            #expect(policy.contains("' 'unsafe-eval';"))
            let script = try #require(try await get("/axon.js")["content-security-policy"])
            #expect(!script.contains("sha256"))
        }
    }

    @Test func `a current page runs script files and eval, and nothing inline`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await host.send(
                Call("GET", "/", host: "my-app.localhost:\(host.port)"))
            let policy = try #require(answer["content-security-policy"])
            #expect(policy.hasSuffix("; script-src 'self' 'unsafe-eval'"))
            #expect(policy.matches(of: /unsafe/).count == 1)
            #expect(policy.hasPrefix("default-src 'self';"))
        }
    }

    @Test func `the host serves the scripts that published pages load`() async throws {
        try await Self.with { get in
            for path in ["/nervousnet-axon-resources/libs.js", "/nervous-resources/nervousAPI.js"] {
                let answer = try await get(path)
                #expect(answer["content-type"] == "text/javascript; charset=utf-8")
                for part in [ProviderFiles.nervousJS.bytes, ProviderFiles.libsJS.bytes] {
                    #expect(answer.body.firstRange(of: part) != nil)
                }
            }
            for path in ["/nervousnet-axon-resources/styles.css", "/nervous-resources/nervous.css"]
            {
                #expect(try await get(path).body == ProviderFiles.stylesCSS.bytes)
            }
            #expect(try await get("/nervousnet-axon-resources/other.js").status == 404)
            #expect(try await get("/lib/own.js").text == "A")
        }
    }

    @Test func `libraries are those of the system, and a missing one has a hint`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "leaflet/images"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in [
            "leaflet/leaflet.js": "L = 1", "leaflet/images/a.png": "png", "secret": "no",
            "leaflet/.hidden": "no",
        ] {
            try Data(text.utf8).write(to: folder.appending(path: path))
        }
        let libraries = SystemLibraries(folder: folder.path(percentEncoded: false))
        func text(_ path: String) async -> String {
            switch await libraries.file(path) {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .libraryMissing(let library): "missing \(library.package)"
            case .none: "none"
            }
        }
        #expect(await text("leaflet/leaflet.js") == "L = 1")
        #expect(await text("leaflet/images/a.png") == "png")
        #expect(await text("chart.js/chart.js") == "missing libjs-chart.js")
        #expect(await text("jquery/jquery.js") == "missing libjs-jquery")
        for path in [
            "secret", "leaflet", "leaflet/", "leaflet/../secret", "leaflet/images", "/etc/passwd",
            "leaflet/.hidden", "leaflet//leaflet.js", "leaflet/none.js", "../x", "",
        ] {
            #expect(await text(path) == "none", "\(path)")
        }
    }

    @Test func `a service worker cannot be registered`() async throws {
        try await ServedHost.with { host in
            try await host.installPublished()
            let call = Call(
                "GET", "/axon.js", host: "old-one.localhost:\(host.port)",
                headers: [("Service-Worker", "script")])
            #expect(try await host.send(call).code == "service-worker")
        }
    }

    @Test func `the owner sees the name and icon of a published app`() async throws {
        try await ServedHost.with { host in
            try await host.installPublished()
            let app = try await host.send(
                Call("GET", "/api/v1/apps/old-one", token: host.owner)
            ).json()
            #expect(app["publishedName"]?.string == "Old One")
            #expect(app["folder"]?.string == "Old-One-master")
            #expect(app["generation"]?.string == "axon")
            let icon = try await host.send(
                Call("GET", "/api/v1/apps/old-one/icon", token: host.owner))
            #expect(icon.status == 404)
            let clash = try PublishedPackage.bytes("old_one", in: host.folder)
            let answer = try await host.send(
                Call("POST", "/api/v1/apps", token: host.owner, body: clash))
            #expect(answer.status == 409)
            #expect(answer.code == "name-taken")
        }
    }
}
