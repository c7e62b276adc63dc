import AppStorage
import Auth
import Foundation
import JSApps
import Samples
import Testing
import Text

@testable import Provider

/// The calls that a token permits, and the problems and log entries of others.
@Suite(.timeLimit(.minutes(10)))
struct TokenAccessTests {
    private static let invalid = #"Bearer realm="nervous", error="invalid_token""#
    private static let path = "/api/v1/sensors/gauge/stats"

    @Test func `each kind of token gets its response, log entry and notice`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await host.install("other-app")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            try await host.decide(.allowAlways, "sensor:gauge", by: "other-app")
            let (right, other) = (
                try await host.begin().token, try await host.begin("other-app").token
            )
            let (run, ended) = try await host.begin()
            try await host.authority.endRun(run)
            let expiring = try await host.begin().token
            let wrong = String(right.dropLast()) + (right.hasSuffix("A") ? "E" : "A")
            let (stream, _) = await host.authority.noticeBoard.watch()
            var notices = stream.makeAsyncIterator()

            func call(
                _ token: String?, _ status: Int, _ code: String?, _ challenge: String?,
                client: String? = nil
            ) async throws {
                let answer = try await host.send(
                    Call("GET", Self.path, token: token, host: "my-app.localhost:\(host.port)"))
                #expect(answer.status == status)
                #expect(answer.code == code)
                #expect(answer["www-authenticate"] == challenge)
                let line = try await host.authority.log.entries(AccessLogQuery(limit: 1)).first
                #expect(line?.operation == "stats")
                #expect(line?.sensor == "gauge")
                #expect(line?.outcome == (status == 200 ? .allowed : .refused))
                guard status != 200 else { return }
                #expect(line?.client == client)
                let notice = await notices.next()?.content
                #expect(notice == .refusal(message: line?.reason ?? "", operation: "stats"))
                if let token { #expect(!answer.text.contains(token)) }
            }
            try await call(right, 200, nil, nil)
            try await call(nil, 401, "missing-token", #"Bearer realm="nervous""#)
            try await call(wrong, 401, "invalid-token", Self.invalid)
            try await call(String(right.dropLast()), 401, "invalid-token", Self.invalid)
            try await call(ended, 401, "invalid-token", Self.invalid)
            try await call(
                other, 403, "name-mismatch",
                #"Bearer realm="nervous", error="insufficient_scope""#, client: "other-app")
            host.clock.advance(.seconds(3600))
            try await call(expiring, 401, "invalid-token", Self.invalid)
        }
    }

    @Test(arguments: [
        "Basic TOKEN", "TOKEN", "Bearer", "Bearer ", "Bearer  TOKEN", "Bearer TOKEN TOKEN",
        "Bearer TOKEN,", "Bearer \"TOKEN\"",
    ])
    func `a token is accepted only as a bearer token in the header`(field: String) async throws {
        try await ServedHost.with { host async throws in
            let value = field.replacing("TOKEN", with: host.owner)
            let answer = try await host.send(
                Call("GET", "/api/v1/me", headers: [("Authorization", value)]))
            #expect(answer.status == 401)
            for target in [
                "/api/v1/me?token=\(host.owner)", "/api/v1/me?access_token=\(host.owner)",
            ] {
                #expect(try await host.send(Call("GET", target)).code == "missing-token")
            }
        }
    }

    @Test func `the owner's routes refuse apps and programs`() async throws {
        try await ServedHost.with { host async throws in
            try await host.install()
            let tokens = [try await host.client(), try await host.begin().token]
            let shared = [
                "/health", "/openapi.json", "/api/v1/me", "/api/v1/launch", "/api/v1/sensors",
                "/api/v1/analyze", "/api/v1/notifications", "/api/v1/view", "/api/v1/fetch",
                "/api/v1/stream", "/api/v1/stats", "/api/v1/batch",
            ]
            let forAll = [
                "/api/v1/sensors/", "/api/v1/permissions/", "/nervous-api/", "/nervousnet-api/",
                "/api/v1/storage", "/api/v1/local-storage", "/api/v1/indexed-db", "/api/v1/push/",
                "/api/v1/sessions", "/api/v1/websockets", "/api/v1/home/", "/api/v1/health/",
                "/v1/", "/sensorthings/", "/metrics", "/prometheus/",
            ]
            let owners = ["/api/v1/health/summary"]
            for (path, methods) in host.provider.resources
            where owners.contains(path)
                || !shared.contains(path) && !forAll.contains(where: path.hasPrefix)
            {
                let target = path.replacing(/\{[a-z]+\}/, with: "gauge")
                for method in methods {
                    for token in tokens {
                        let answer = try await host.send(Call("\(method)", target, token: token))
                        #expect(answer.status == 403, "\(method) \(target)")
                        #expect(answer.code == "owner-only", "\(method) \(target)")
                    }
                }
            }
            #expect(try await host.library.apps().count == 1)
        }
    }

    @Test func `the eleventh invalid token in a minute is rate-limited, a valid one never`()
        async throws
    {
        try await ServedHost.with { host async throws in
            let wrong = Call("GET", "/api/v1/me", token: "nvs_wrong")
            for _ in 1...10 { #expect(try await host.send(wrong).status == 401) }
            host.clock.advance(.milliseconds(500))
            let held = try await host.send(wrong)
            #expect(held.status == 429)
            #expect(held["retry-after"] == "60")
            #expect(try await host.send(Call("GET", "/api/v1/me", token: host.owner)).status == 200)
            host.clock.advance(.seconds(60))
            #expect(try await host.send(wrong).status == 401)
        }
    }

    @Test func `a client's token is created, listed without its secret, and revoked`() async throws
    {
        try await ServedHost.with { host async throws in
            let body = """
                {"name": "curl", "allow": ["sensor:gauge:stats"], "lifetime": "1h"}
                """
            let made = try await host.send(
                Call("POST", "/api/v1/tokens", token: host.owner, json: body))
            #expect(made["location"] == "/api/v1/tokens/curl")
            let token = try #require(try made.json()["token"]?.string)
            let list = try await host.send(Call("GET", "/api/v1/tokens", token: host.owner))
            #expect(list.text.contains("curl"))
            #expect(!list.text.contains("nvs_"))
            #expect(try await host.send(Call("GET", Self.path, token: token)).status == 200)
            let raw = Call("GET", "/api/v1/sensors/gauge/latest", token: token)
            #expect(try await host.send(raw).code == "statistics-only")
            let revoke = Call("DELETE", "/api/v1/tokens/curl", token: host.owner)
            #expect(try await host.send(revoke).status == 204)
            #expect(try await host.send(Call("GET", Self.path, token: token)).status == 401)
        }
    }

    @Test(
        arguments: [
            ("", 90 * 86_400_000.0), (#", "lifetime": "1h""#, 3_600_000),
            (#", "lifetime": "never""#, nil), (#", "lifetime": "400d""#, 400 * 86_400_000),
            (#", "owner": true"#, 90 * 86_400_000),
        ] as [(String, Double?)])
    func `a token expires unless its lifetime is never`(
        members: String, expected: Double?
    ) async throws {
        try await ServedHost.with { host async throws in
            let made = try await host.send(
                Call(
                    "POST", "/api/v1/tokens", token: host.owner,
                    json: #"{"name": "curl"\#(members)}"#))
            #expect(made.status == 201)
            let record = try #require(await host.authority.clientTokens().first)
            let lifetime = record.expires.map { $0.milliseconds - record.created.milliseconds }
            #expect(lifetime == expected)
        }
    }

    @Test(arguments: [
        #"{"name": "Curl"}"#, #"{"name": "a.b"}"#, #"{"name": ""}"#, #"{"name": "../x"}"#,
        #"{"name": 1}"#, "{}", "[]", #"{"name": "x", "allow": ["camera"]}"#,
        #"{"name": "x", "lifetime": "soon"}"#, #"{"name": "x", "lifetime": "0s"}"#,
        #"{"name": "x", "lifetime": "-1h"}"#,
        #"{"name": "\#(String(repeating: "x", count: 65))"}"#,
    ])
    func `a token with invalid properties is not created`(body: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await host.send(
                Call("POST", "/api/v1/tokens", token: host.owner, json: body))
            #expect(answer.status == 400)
            #expect(await host.authority.clientTokens().isEmpty)
        }
    }
}
