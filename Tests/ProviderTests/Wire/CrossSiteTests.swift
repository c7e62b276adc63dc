import AppStorage
import Auth
import Foundation
import HTTPTypes
import Testing

@testable import Provider

/// Requests that another site caused, as browsers report in `Sec-Fetch-Site`.
@Suite(.timeLimit(.minutes(10)))
struct CrossSiteTests {
    private static let foreign = ["cross-site", "same-site", "something-new", ""]

    @Test func `cross-site calls are refused on every route, without a notice or a log entry`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let (notices, watcher) = await host.authority.noticeBoard.watch()
            for (path, methods) in host.provider.resources {
                let target = path.replacing(/\{[a-z]+\}/, with: "gauge")
                for method in methods.map(\.rawValue) {
                    for name in ["localhost", "my-app.localhost"] {
                        let call = Call(
                            method, target, host: "\(name):\(host.port)",
                            headers: [
                                ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"),
                            ])
                        let answer = try await host.send(call)
                        #expect(answer.status == 403, "\(method) \(name) \(target)")
                        if method != "HEAD" { #expect(answer.code == "cross-origin") }
                    }
                }
            }
            await host.authority.noticeBoard.unwatch(watcher)
            for await notice in notices { Issue.record("\(notice)") }
            let refused = try await host.authority.log.entries(AccessLogQuery(limit: 100))
            #expect(refused.allSatisfy { $0.outcome != .refused })
        }
    }

    @Test(arguments: foreign)
    func `cross-site requests for installed and missing files get the same refusal`(site: String)
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            for destination in ["script", "image", "style", "iframe", "empty", "object"] {
                var bodies: Set<String> = []
                for (app, target) in [
                    ("my-app", "/"), ("my-app", "/app.js"), ("my-app", "/none"), ("none", "/"),
                ] {
                    let answer = try await host.send(
                        Call(
                            "GET", target, host: "\(app).localhost:\(host.port)",
                            headers: [
                                ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"),
                                ("Sec-Fetch-Dest", destination),
                            ]))
                    #expect(answer.status == 403)
                    bodies.insert(answer.text)
                }
                #expect(bodies.count == 1)
            }
        }
    }

    @Test func `a link on another site can open a page but not call the API`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let link = [
                ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
                ("Sec-Fetch-Dest", "document"),
            ]
            func status(_ method: String, _ target: String, _ name: String) async throws -> Int {
                try await host.send(
                    Call(method, target, host: "\(name):\(host.port)", headers: link)
                ).status
            }
            #expect(try await status("GET", "/app.html", "my-app.localhost") == 200)
            #expect(try await status("GET", "/health", "localhost") == 200)
            for target in ["/api/v1/me", "/nervous-api/version", "/nervousnet-api/deviceid"] {
                #expect(try await status("GET", target, "my-app.localhost") == 403)
            }
            #expect(try await status("POST", "/health", "localhost") == 403)
        }
    }

    @Test(arguments: ["same-origin", "none"])
    func `same-origin and user-initiated requests are answered`(site: String) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(
                Call(
                    "GET", "/api/v1/me", token: host.owner, headers: [("Sec-Fetch-Site", site)]))
            #expect(answer.status == 200)
        }
    }
}
