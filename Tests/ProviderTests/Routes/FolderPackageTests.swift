import API
import Foundation
import Testing
import Text

@testable import Provider

/// Installing the files of a folder, without an archive.
@Suite(.timeLimit(.minutes(10)))
struct FolderPackageTests {
    private static let manifest = """
        {"name": "my-app", "version": "1.0.0", "title": "T", "description": "D", "author": "A",
         "license": "MIT", "privileges": [{"sensor": "gauge", "reason": "r"}]}
        """

    private static func post(
        _ host: ServedHost, _ files: [(String, String)], name: String = "my-app",
        query: String = "", token: String? = nil
    ) async throws -> Answer {
        let package = FolderPackage(
            name: name, files: files.map { .init(path: $0.0, content: Data($0.1.utf8)) })
        return try await host.send(
            Call(
                "POST", "/api/v1/apps\(query)", token: token ?? host.owner,
                json: String(decoding: try JSONEncoder().encode(package), as: UTF8.self)))
    }

    @Test func `the files of a folder are installed, and served, and the same are unchanged`()
        async throws
    {
        try await ServedHost.with { host in
            let files = [
                ("package.json", Self.manifest), ("app.html", "<p>"), ("app.js", "1"),
                ("a/b.txt", "é"),
            ]
            #expect(try await Self.post(host, files, query: "?dryRun=true").status == 200)
            let answer = try await Self.post(host, files)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer["location"] == "/api/v1/apps/my-app")
            #expect(try answer.json()["files"]?.number?.int64 == 4)
            let file = try await host.send(
                Call("GET", "/a/b.txt", host: "my-app.localhost:\(host.port)"))
            #expect(file.text == "é")
            #expect(
                try await Self.post(host, files).json()["update"]?["kind"]?.string == "unchanged")
        }
    }

    @Test(
        arguments: [
            ([("app.html", ""), ("package.json", manifest), ("../app.js", "x")], "my-app"),
            ([("app.html", ""), ("package.json", manifest), ("/app.js", "x")], "my-app"),
            ([("app.html", ""), ("package.json", manifest), ("a//b.js", "x")], "my-app"),
            (
                [("app.html", ""), ("package.json", manifest), ("app.js", "x"), ("APP.js", "y")],
                "my-app"
            ),
            ([("app.html", ""), ("package.json", manifest), ("app.js", "x")], "../my-app"),
            ([("app.html", ""), ("package.json", manifest), ("app.js", "x")], "a/my-app"),
            ([("app.html", ""), ("package.json", manifest), ("app.js", "x")], ""),
            ([("app.html", ""), ("package.json", "{"), ("app.js", "x")], "my-app"),
            ([("package.json", manifest)], "my-app"), ([], "my-app"),
        ] as [([(String, String)], String)])
    func `a folder that is no app is refused, and nothing is installed`(
        files: [(String, String)], name: String
    ) async throws {
        try await ServedHost.with { host in
            let answer = try await Self.post(host, files, name: name)
            #expect((400..<500).contains(answer.status), "\(answer.text)")
            let apps = try await host.send(Call("GET", "/api/v1/apps", token: host.owner)).json()
            #expect(apps["items"]?.array?.isEmpty == true)
        }
    }

    @Test func `a folder may be larger than other bodies`() async throws {
        try await ServedHost.with { host in
            let script = String(repeating: "// A comment.\n", count: 50_000)
            let files = [
                ("package.json", Self.manifest), ("app.html", "<p>"), ("app.js", script),
            ]
            let answer = try await Self.post(host, files)
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test func `only the owner installs a folder`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client()
            let files = [("package.json", Self.manifest), ("app.html", "<p>"), ("app.js", "x")]
            #expect(try await Self.post(host, files, token: token).status == 403)
        }
    }
}
