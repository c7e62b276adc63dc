import Auth
import Foundation
import Synchronization
import TestSupport
import Testing
import Text

@testable import Provider

/// Secrets that the host uses in calls of apps.
struct SecretRouteTests {
    private static let passphrase = "correct horse battery"

    private static func privileges(_ origins: String..., secretAt origin: String) -> String {
        let list = origins.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"""
            [{"net": [\#(list)], "reason": "Shows the weather"},
             {"secret": "api-key", "server": "\#(origin)", "reason": "Identifies you"}]
            """#
    }

    private static func fetch(
        _ host: ServedHost, _ token: String, _ url: String, headers: String
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/fetch", token: token, host: "my-app.localhost:\(host.port)",
                headers: [("Nervous-Request", #"{"url": "\#(url)", "headers": \#(headers)}"#)]))
    }

    private static func set(
        _ host: ServedHost, _ value: String, keeper: String = "owner"
    ) async throws {
        let answer = try await host.send(
            Call(
                "PUT", "/api/v1/secrets/app:my-app/api-key", token: host.owner,
                json: #"{"value": "\#(value)", "keeper": "\#(keeper)"}"#))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(!answer.text.contains(value))
    }

    private static func setUp(_ host: ServedHost) async throws {
        let answer = try await host.send(
            Call(
                "POST", "/api/v1/lock/setup", token: host.owner,
                json: #"{"passphrase": "\#(passphrase)"}"#))
        #expect(answer.status == 201)
    }

    /// The files below the folder of a host that contain a text.
    private static func files(of host: ServedHost, with text: String) -> [String] {
        let folder = host.folder.path(percentEncoded: false)
        return (FileManager.default.subpaths(atPath: folder) ?? []).filter { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)")?
                .range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `the host puts the secret into a header, and the app and the disk do not get it`()
        async throws
    {
        try await LocalServer.with { _ in
            .answer("ok")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.install(
                    privileges: Self.privileges(origin, secretAt: origin))
                try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                try await host.decide(.allowAlways, "secret:api-key:\(origin)", by: "my-app")
                try await Self.setUp(host)
                try await Self.set(host, "s3cr3t-plain")
                let token = try await host.begin().token
                let answer = try await Self.fetch(
                    host, token, "\(origin)/a",
                    headers:
                        #"{"Authorization": "Bearer nervous-secret:api-key", "X-Own": "nervous"}"#)
                #expect(answer.status == 200, "\(answer.text)")
                let request = try #require(server.received.first)
                #expect(request["authorization"] == "Bearer s3cr3t-plain")
                #expect(request["x-own"] == "nervous")
                #expect(!answer.text.contains("s3cr3t"))
                #expect(answer["nervous-answer"]?.contains("s3cr3t") == false)
                let log = try await host.send(
                    Call("GET", "/api/v1/access-log", token: host.owner))
                #expect(log.text.contains("use-secret"))
                #expect(!log.text.contains("s3cr3t"))
                #expect(Self.files(of: host, with: "s3cr3t-plain") == [])
                #expect(Self.files(of: host, with: Self.passphrase) == [])
            }
        }
    }

    @Test func `without a grant of its own the secret is not used`() async throws {
        try await LocalServer.with { _ in
            .answer("ok")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.install(
                    privileges: Self.privileges(origin, secretAt: "https://api.example.org"))
                try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                try await host.decide(
                    .allowAlways, "secret:api-key:https://api.example.org", by: "my-app")
                try await Self.setUp(host)
                try await Self.set(host, "s3cr3t-plain")
                let token = try await host.begin().token
                let answer = try await Self.fetch(
                    host, token, "\(origin)/a", headers: #"{"X-Key": "nervous-secret:api-key"}"#)
                #expect(answer.status == 403)
                #expect(try answer.json()["privilege"]?.string == "secret:api-key:\(origin)")
                #expect(server.received.isEmpty)
            }
        }
    }

    @Test func `a locked secret is refused with 423, and one of the host's key is used`()
        async throws
    {
        try await LocalServer.with { _ in
            .answer("ok")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.install(
                    privileges: Self.privileges(origin, secretAt: origin))
                try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                try await host.decide(.allowAlways, "secret:api-key:\(origin)", by: "my-app")
                try await Self.setUp(host)
                let token = try await host.begin().token
                let headers = #"{"X-Key": "nervous-secret:api-key"}"#
                let missing = try await Self.fetch(host, token, origin, headers: headers)
                #expect(missing.status == 404)
                #expect(try missing.json()["code"]?.string == "no-such-secret")
                try await Self.set(host, "first")
                _ = try await host.send(Call("POST", "/api/v1/lock", token: host.owner))
                let locked = try await Self.fetch(host, token, origin, headers: headers)
                #expect(locked.status == 423)
                #expect(try locked.json()["code"]?.string == "locked")
                #expect(try locked.json()["fix"]?.string == "Ask the owner.")
                #expect(server.received.isEmpty)
                try await Self.set(host, "second", keeper: "host")
                let used = try await Self.fetch(host, token, origin, headers: headers)
                #expect(used.status == 200)
                #expect(server.received.map { $0["x-key"] } == ["second"])
                let list = try await host.send(
                    Call("GET", "/api/v1/secrets", token: host.owner))
                #expect(list.text.contains(#""keeper":"host""#))
                #expect(!list.text.contains("second"))
            }
        }
    }

    @Test func `a redirect to another origin does not carry the secret`() async throws {
        try await LocalServer.with { _ in
            .answer("ok")
        } _: { second in
            let target = "http://127.0.0.1:\(second.port)"
            try await LocalServer.with { _ in
                .answer(status: "302 Found", fields: [("Location", "\(target)/b")])
            } _: { first in
                let origin = "http://127.0.0.1:\(first.port)"
                try await ServedHost.with { host in
                    try await host.install(
                        privileges: Self.privileges(origin, target, secretAt: origin))
                    try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                    try await host.decide(.allowAlways, "net:\(target)", by: "my-app")
                    try await host.decide(.allowAlways, "secret:api-key:\(origin)", by: "my-app")
                    try await Self.setUp(host)
                    try await Self.set(host, "s3cr3t-plain")
                    let token = try await host.begin().token
                    let answer = try await Self.fetch(
                        host, token, "\(origin)/a",
                        headers: #"{"X-Key": "nervous-secret:api-key", "X-Own": "a"}"#)
                    #expect(answer.status == 200, "\(answer.text)")
                    #expect(first.received.first?["x-key"] == "s3cr3t-plain")
                    let redirected = try #require(second.received.first)
                    #expect(redirected["x-key"] == nil)
                    #expect(redirected["x-own"] == "a")
                }
            }
        }
    }

    @Test(arguments: [
        "nervous-secret:", "nervous-secret:API", "xnervous-secret:api-key",
        "nervous-secret:api-key and more",
    ])
    func `a malformed use is refused, and nothing is sent`(value: String) async throws {
        try await LocalServer.with { _ in
            .answer("ok")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.install(privileges: Self.privileges(origin, secretAt: origin))
                try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                let token = try await host.begin().token
                let answer = try await Self.fetch(
                    host, token, origin, headers: #"{"X-Key": "\#(value)"}"#)
                #expect(answer.status == 400)
                #expect(server.received.isEmpty)
            }
        }
    }

    @Test func `an uninstalled app leaves no secret, and one installed later finds none`()
        async throws
    {
        try await ServedHost.with { host in
            try await Self.setUp(host)
            try await host.install(
                privileges: Self.privileges(
                    "https://api.example.org", secretAt: "https://api.example.org"))
            try await Self.set(host, "first")
            let removed = try await host.send(
                Call("DELETE", "/api/v1/apps/my-app", token: host.owner))
            #expect(removed.status == 204)
            let list = try await host.send(Call("GET", "/api/v1/secrets", token: host.owner))
            #expect(try list.json()["items"]?.array?.isEmpty == true)
        }
    }

    @Test func `apps and programs cannot list, set or remove secrets`() async throws {
        try await ServedHost.with { host in
            try await host.install(privileges: "[]")
            let token = try await host.begin().token
            for call in [
                Call("GET", "/api/v1/secrets", token: token),
                Call(
                    "PUT", "/api/v1/secrets/app:my-app/api-key", token: token,
                    json: #"{"value": "a"}"#),
                Call("DELETE", "/api/v1/secrets/app:my-app/api-key", token: token),
            ] {
                #expect(try await host.send(call).status == 403)
            }
        }
    }
}
