import AppRuns
import Auth
import Foundation
import JSApps
import Testing

/// An app's own origin: its files, and the API for its own token only.
@Suite(.timeLimit(.minutes(10)))
struct AppOriginTests {
    private static func get(
        _ host: ServedHost, _ target: String, method: String = "GET", app: String = "my-app",
        token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(method, target, token: token, host: "\(app).localhost:\(host.port)"))
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8", "<!doctype html><title>x</title>\n"),
        ("/app.html", "text/html; charset=utf-8", "<!doctype html><title>x</title>\n"),
        ("/app.html?x=/../../y#z", "text/html; charset=utf-8", "<!doctype html><title>x</title>\n"),
        ("/app.js", "text/javascript; charset=utf-8", "console.log('hello')\n"),
        ("/images/a%20b.svg", "image/svg+xml", "<svg/>"),
        ("/data.bin", "application/octet-stream", "bytes"),
        ("/%61pp.js", "text/javascript; charset=utf-8", "console.log('hello')\n"),
    ])
    func `a file of the index is served with security headers`(
        target: String, type: String, content: String
    ) async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await Self.get(host, target)
            #expect(answer.status == 200)
            #expect(answer["content-type"] == type)
            #expect(answer.text == content)
            let policy = try #require(answer["content-security-policy"])
            for part in ["default-src 'self'", "object-src 'none'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer["referrer-policy"] == "no-referrer")
            #expect(answer["cross-origin-resource-policy"] == "same-origin")
            #expect(answer["cross-origin-opener-policy"] == "same-origin")
            #expect(answer["access-control-allow-origin"] == nil)
            let head = try await Self.get(host, target, method: "HEAD")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head["content-security-policy"] == policy)
        }
    }

    @Test(arguments: ["app.js", "app.html", "images/a b.svg"])
    func `files that were changed or added on the disk are not served`(
        path: String
    ) async throws {
        try await ServedHost.with { host in
            try await host.install()
            let content = host.folder.appending(path: "apps/my-app/content")
            let file = content.appending(path: path)
            let original = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            try Data(original.map { $0 ^ 1 }).write(to: file)
            try Data("evil".utf8).write(to: content.appending(path: "planted.js"))
            let target = "/" + path.replacing(" ", with: "%20")
            let changed = try await Self.get(host, target)
            #expect(changed.status == 500)
            #expect(changed.text.contains("damaged"))
            #expect(try await Self.get(host, "/planted.js").status == 404)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                at: file, withDestinationURL: content.appending(path: "planted.js"))
            #expect(try await Self.get(host, target).status == 500)
            try FileManager.default.removeItem(at: file)
            try original.write(to: file)
            #expect(try await Self.get(host, target).status == 200)
        }
    }

    @Test(arguments: [
        "/../index.json", "/..%2findex.json", "/%2e%2e/index.json", "/%2e%2e%2findex.json",
        "/images/../app.js", "/images/%2e%2e/app.js", "/images/..%2fapp.js", "//app.js",
        "/./app.js",
        "/%2fetc/passwd", "//etc/passwd", "/etc/passwd", "/%5c..%5capp.js", "/..%5cindex.json",
        "/\\app.js", "/app.js%00", "/app.js%00.html", "/%00", "/app.js/", "/images", "/images/",
        "/APP.JS", "/app.js%20", "/%252e%252e/index.json", "/app%2ejs%2f..",
        "/%c0%ae%c0%ae/index.json",
        "/%ff", "/%", "/%zz", "/app.js;x", "/content/app.js", "/index.json", "/my-app/app.js",
        "/nothing", "/apix",
    ])
    func `files that are not in the index are not found`(target: String) async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await Self.get(host, target)
            #expect(answer.status == 404, "\(answer.text.prefix(100))")
            #expect(answer["content-type"] == "application/problem+json")
        }
    }

    @Test func `links and files added later are not served`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let content = host.folder.appending(path: "apps/my-app/content")
            let path = content.path(percentEncoded: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            try Data("x".utf8).write(to: content.appending(path: "later.js"))
            try FileManager.default.removeItem(at: content.appending(path: "app.js"))
            try FileManager.default.createSymbolicLink(
                atPath: path + "/app.js", withDestinationPath: "/etc/passwd")
            #expect(try await Self.get(host, "/later.js").status == 404)
            let link = try await Self.get(host, "/app.js")
            #expect(link.status == 500)
            #expect(!link.text.contains("root:"))
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func `files are read-only`(method: String) async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await Self.get(host, "/app.js", method: method)
            #expect(answer.status == 405)
            #expect(answer["allow"] == "GET, HEAD")
        }
    }

    @Test(arguments: ["none", "my-app-2", "MY-APP%00", "xn--80ak6aa92e", "-", "my_app"])
    func `an app that is not installed has no files`(app: String) async throws {
        try await ServedHost.with { host in
            try await host.install()
            #expect(try await Self.get(host, "/app.html", app: app).status == 404)
            #expect(try await Self.get(host, "/", app: app).status == 404)
        }
    }

    @Test(arguments: ["nervous.js", "jquery.js", "nervous.d.ts"])
    func `the host serves the common files of all apps, and no others`(file: String)
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await Self.get(host, "/_host/\(file)")
            #expect(answer.status == 200)
            #expect(!answer.body.isEmpty)
            #expect(answer["cross-origin-resource-policy"] == "same-origin")
            for other in ["", "/", "/react.js", "/../app.js", "/\(file)/x"] {
                #expect(try await Self.get(host, "/_host\(other)").status == 404, "\(other)")
            }
        }
    }

    @Test func `the SDK is served to every app and cannot be replaced`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let answer = try await Self.get(host, "/nervous.js")
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/javascript; charset=utf-8")
            #expect(answer.text.contains("nervous"))
        }
    }

    @Test func `the API on an app's origin accepts only the app's own token`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await host.install("other-app")
            let own = try await host.begin().token
            let other = try await host.begin("other-app").token
            let client = try await host.client()
            #expect(try await Self.get(host, "/api/v1/me", token: own).status == 200)
            for token in [other, client, host.owner] {
                let answer = try await Self.get(host, "/api/v1/me", token: token)
                #expect(answer.status == 403)
                #expect(answer.code == "name-mismatch")
            }
            #expect(try await Self.get(host, "/api/v1/me").status == 401)
            #expect(try await Self.get(host, "/health").status == 200)
        }
    }
}
