import Auth
import Foundation
import Testing
import Text

/// Calls of a batch, compared with the same calls sent alone.
@Suite(.timeLimit(.minutes(10)))
struct BatchRouteTests {
    private static func batch(
        _ host: ServedHost, _ calls: String, token: String?, at origin: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/batch", token: token, host: origin,
                json: #"{"calls": [\#(calls)]}"#))
    }

    @Test func `the answer to each part equals that to the single call`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            try await host.decide(.allowAlways, "storage", by: "my-app")
            try await host.decide(.statisticsOnly, "sensor:steps", by: "my-app")
            for level in 0..<40 { await host.gauge(Double(level)) }
            let app = try await host.begin().token
            let program = try await host.client("curl", allow: ["sensor:gauge:stats"])
            let gauge = "/api/v1/sensors/gauge"
            let paths = [
                "\(gauge)/latest", "\(gauge)/samples?limit=3", "\(gauge)/samples?order=desc",
                "\(gauge)/samples?where=level%3E20%20or%20level%3C3", "\(gauge)/stats?fn=mean,p99",
                "\(gauge)/samples?limit=x", "/api/v1/sensors", "/api/v1/sensors/steps/latest",
                "/api/v1/sensors/none/latest", "/api/v1/me", "/api/v1/permissions/sensor:gauge",
                "/api/v1/storage", "/api/v1/tokens", "/api/v1/access-log", "/api/v1/nothing",
                "/api/v1/permissions/sensor%3Acpu", "/api/v1/me?x=%00",
            ]
            let origin = "my-app.localhost:\(host.port)"
            for (token, at) in [
                (app, origin), (app, nil), (program, nil), (program, origin), (host.owner, nil),
            ] {
                var singles: [Answer] = []
                for path in paths {
                    singles.append(try await host.send(Call("GET", path, token: token, host: at)))
                }
                let calls = paths.map { #"{"path": "\#($0)"}"# }.joined(separator: ", ")
                let answer = try await Self.batch(host, calls, token: token, at: at)
                guard singles[9].status != 403 else {
                    // The token of another name.
                    #expect(answer.status == 403)
                    continue
                }
                #expect(answer.status == 200)
                let items = try #require(try answer.json()["items"]?.array)
                #expect(items.count == paths.count)
                for (index, single) in singles.enumerated() {
                    let item = items[index]
                    let status = item["status"]?.number?.double
                    #expect(status == Double(single.status), "\(paths[index])")
                    let type = item["headers"]?["content-type"]?.string
                    #expect(type == single["content-type"], "\(paths[index])")
                    #expect(item["headers"]?["link"]?.string == single["link"])
                    // The age of a sample and the access log change with time.
                    guard !["/api/v1/access-log"].contains(paths[index]) else { continue }
                    #expect(
                        item["body"]?.text() == (try? single.json())?.text(), "\(paths[index])")
                }
            }
        }
    }

    @Test func `calls are made in their order, and a failure affects no other`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client("curl", allow: ["storage"])
            let answer = try await Self.batch(
                host,
                #"""
                {"method": "PUT", "path": "/api/v1/storage/a", "body": {"n": 1}},
                {"path": "/api/v1/storage/a"},
                {"method": "PUT", "path": "/api/v1/storage/a", "body": [1, 2]},
                {"path": "/api/v1/storage/b"},
                {"path": "/api/v1/storage/a"},
                {"method": "DELETE", "path": "/api/v1/storage/a"},
                {"path": "/api/v1/storage/a"}
                """#, token: token)
            let items = try #require(try answer.json()["items"]?.array)
            #expect(
                items.compactMap { $0["status"]?.number?.double }
                    == [204, 200, 204, 404, 200, 204, 404])
            #expect(items[5]["body"] == nil)
            let log = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
            #expect(log.map(\.calls).reduce(0, +) >= 7)
        }
    }

    @Test(arguments: [
        #"{"path": "/api/v1/batch"}"#, #"{"path": "/api/v1/b%61tch/", "method": "POST"}"#,
        #"{"path": "/api/v1/stream"}"#, #"{"path": "/api/v1/sensors/gauge/stream"}"#,
        #"{"path": "/api/v1/sensors/gauge/str%65am"}"#, #"{"path": "/api/v1/fetch"}"#,
        #"{"path": "/api/v1/websockets/1/messages"}"#, #"{"path": "/"}"#,
        #"{"path": "/health"}"#, #"{"path": "http://localhost/api/v1/me"}"#,
        #"{"path": "api/v1/me"}"#,
        #"{"path": "/api/v1/me HTTP/1.1"}"#, #"{"path": "/api/v1/me#x"}"#, #"{"path": ""}"#,
        #"{}"#, #"{"path": 1}"#, #"{"path": "/api/v1/me", "method": "TRACE"}"#, "1",
        #"{"path": "/api/v1/me", "method": "get"}"#, #"{"path": "/api/v1/me", "x": 1}"#,
        #"{"path": "/api/v1/me", "headers": {"Authorization": "Bearer x"}}"#,
        #"{"path": "/api/v1/me", "headers": {"Host": "x"}}"#,
        #"{"path": "/api/v1/me", "headers": {"Accept": "a\r\nHost: x"}}"#,
        #"{"path": "/api/v1/me", "headers": {"Accept": 1}}"#,
        #"{"path": "/api/v1/me", "headers": []}"#,
    ])
    func `a call that cannot be part of a batch is named, and nothing is called`(call: String)
        async throws
    {
        try await ServedHost.with { host in
            let token = try await host.client("curl", allow: ["storage"])
            let write = #"{"method": "PUT", "path": "/api/v1/storage/a", "body": 1}"#
            let answer = try await Self.batch(host, "\(write), \(call)", token: token)
            #expect(answer.status == 400 && answer.code == "invalid-body")
            #expect(try answer.json()["detail"]?.string?.hasPrefix("calls[1]: ") == true)
            let stored = try await host.send(Call("GET", "/api/v1/storage/a", token: token))
            #expect(stored.status == 404)
        }
    }

    @Test func `number, size and token of a batch are checked as a whole`() async throws {
        try await ServedHost.with { host in
            func repeated(_ count: Int) -> String {
                Array(repeating: #"{"path": "/api/v1/me"}"#, count: count).joined(separator: ",")
            }
            #expect(try await Self.batch(host, repeated(100), token: host.owner).status == 200)
            for count in [0, 101] {
                #expect(
                    try await Self.batch(host, repeated(count), token: host.owner).status == 400)
            }
            let before = try await host.authority.log.entries(AccessLogQuery(onlyRefused: true))
            for token in [nil, "nvs_wrong"] {
                #expect(try await Self.batch(host, repeated(50), token: token).status == 401)
            }
            let after = try await host.authority.log.entries(AccessLogQuery(onlyRefused: true))
            let counts = [before, after].map { $0.reduce(0) { $0 + $1.calls } }
            #expect(counts[1] == counts[0] + 2)
            let long = #"{"path": "/api/v1/me?"# + String(repeating: "x", count: 1 << 20) + #""}"#
            #expect(try await Self.batch(host, long, token: host.owner).status == 413)
        }
    }

    @Test func `other text is in text, and what is binary is refused`() async throws {
        try await ServedHost.with { host in
            await host.gauge(3)
            let path = "/api/v1/sensors/gauge/samples"
            let answer = try await Self.batch(
                host,
                ["text/csv", "application/vnd.nervous.columns", "image/png"].map {
                    #"{"path": "\#(path)", "headers": {"accept": "\#($0)"}}"#
                }.joined(separator: ","), token: host.owner)
            let items = try #require(try answer.json()["items"]?.array)
            let csv = try await host.send(
                Call("GET", path, token: host.owner, headers: [("Accept", "text/csv")]))
            #expect(items[0]["text"]?.string == csv.text && items[0]["body"] == nil)
            #expect(items[1...].allSatisfy { $0["status"]?.number?.double == 406 })
        }
    }
}
