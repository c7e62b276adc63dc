import AppRuns
import AppStorage
import Auth
import Foundation
import Samples
import Synchronization
import TestSupport
import Testing
import Text
import VM

@testable import Alerts

@Suite(.timeLimit(.minutes(10)))
struct AlertRouteTests {
    private static let rule =
        #"{"sensor":"gauge","field":"level","window":"30s","above":10,"clear":5,"coverage":0}"#

    private func call(
        _ host: ServedHost, _ method: String, _ target: String, json: String? = nil,
        token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(method, "/api/v1" + target, token: token ?? host.owner, json: json))
    }

    private func put(
        _ host: ServedHost, _ name: String = "level", _ rule: String = Self.rule
    ) async throws {
        let answer = try await call(host, "PUT", "/alerts/\(name)", json: rule)
        #expect(answer.status == 201, "\(answer.text)")
    }

    /// Samples of a level, one a second, and the evaluations of this time.
    private func pass(_ host: ServedHost, seconds: Int, level: Double?) async {
        for _ in 0..<seconds {
            host.clock.advance(.seconds(1))
            if let level { await host.gauge(level) }
            await host.alerts.evaluate()
        }
        await host.alerts.deliver()
    }

    private func events(_ host: ServedHost, _ name: String = "level") async throws -> [String] {
        let items = try await call(host, "GET", "/alerts/\(name)/events").json()["items"]?.array
        return (items ?? []).reversed().compactMap { $0["event"]?.string }
    }

    private func state(_ host: ServedHost, _ name: String = "level") async throws -> JSONValue {
        try await call(host, "GET", "/alerts/\(name)").json()
    }

    // MARK: - Rules

    @Test func `a rule refers to the sensor and the main field that its names mean`()
        async throws
    {
        try await ServedHost.with { host in
            await host.gauge(1)
            try await put(host, "plain", #"{"sensor":"gauge","window":"1m","above":1}"#)
            let rule = try await state(host, "plain")
            #expect(rule["rule"]?["field"]?.string == "level")
            #expect(rule["state"]?.string == "waiting")
            #expect(rule["summary"]?.string == "mean of gauge.level over 1m is above 1.0")
            #expect(rule["every"]?.string == "5s")
            let list = try await call(host, "GET", "/alerts").json()
            #expect(list["items"]?.array?.compactMap { $0["name"]?.string } == ["plain"])
        }
    }

    @Test(
        arguments: [
            (#"{"sensor":"gauge","field":"none","window":"1m","above":1}"#, "unknown-field"),
            (#"{"sensor":"gauge","field":"state","window":"1m","above":1}"#, "not-numeric"),
            (
                #"{"sensor":"gauge","window":"1m","above":1,"where":["level"]}"#,
                "invalid-condition"
            ),
            (
                #"{"sensor":"gauge","window":"1m","above":1,"where":["none>1"]}"#,
                "unknown-field"
            ),
            (#"{"sensor":"gauge","window":"1m"}"#, "invalid-alert"),
            (#"{"sensor":"nothing","silence":"1h"}"#, "unknown-sensor"),
            (#"{"sensor":"gauge","silence":"1h","run":"nothing"}"#, "not-installed"),
            (#"{"sensor":"gauge","silence":"1h","colour":"red"}"#, "invalid-body"),
        ])
    func `a rule that could not be evaluated is refused`(rule: String, code: String) async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            let answer = try await call(host, "PUT", "/alerts/new", json: rule)
            #expect(answer.code == code, "\(answer.text)")
            #expect(try await call(host, "GET", "/alerts/new").status == 404)
        }
    }

    @Test func `only the owner sees and changes rules`() async throws {
        try await ServedHost.with { host in
            try await put(host)
            let client = try await host.client("curl", allow: ["sensor:gauge:raw"])
            for (method, target) in [
                ("GET", "/alerts"), ("GET", "/alerts/level"), ("DELETE", "/alerts/level"),
                ("GET", "/alerts/level/events"), ("GET", "/alerts/level/test?from=-1h"),
            ] {
                let answer = try await call(host, method, target, token: client)
                #expect(answer.code == "owner-only", "\(method) \(target)")
            }
        }
    }

    // MARK: - Evaluation

    @Test func `a rule fires and resolves, and each is notified once and recorded`() async throws {
        try await ServedHost.with { host in
            try await put(host)
            let (notices, watcher) = await host.authority.noticeBoard.watch()
            await pass(host, seconds: 60, level: 1)
            #expect(try await state(host)["state"]?.string == "ok")
            await pass(host, seconds: 60, level: 20)
            let firing = try await state(host)
            #expect(firing["state"]?.string == "firing")
            #expect(firing["value"]?.number?.double == 20)
            await pass(host, seconds: 60, level: 1)
            #expect(try await events(host) == ["fired", "resolved"])
            await host.authority.noticeBoard.unwatch(watcher)
            var shown: [String] = []
            for await notice in notices {
                if case .alert(let title, _, let rule) = notice.content {
                    shown.append("\(rule): \(title)")
                }
            }
            #expect(shown == ["level: level fires", "level: level has resolved"])
            // The host reads as the owner does, and the first read is recorded at once.
            let log = try await host.authority.log.entries(AccessLogQuery(limit: 100))
            let reads = log.filter { $0.operation == "alert" }
            #expect(reads.contains { $0.sensor == "gauge" && $0.client == "owner" })
            #expect(reads.count <= 4, "the later reads are counted")
            // The test finds over the history what the engine did.
            let test = try await call(host, "GET", "/alerts/level/test?from=-4m").json()
            let found = test["events"]?.array ?? []
            #expect(found.compactMap { $0["event"]?.string } == ["fired", "resolved"])
            let stored = try await call(host, "GET", "/alerts/level/events").json()["items"]
            #expect(
                found.map { $0["time"]?.number?.double }
                    == stored?.array?.reversed().map { $0["time"]?.number?.double })
            #expect(test["maximum"]?.number?.double == 20)
            let tested = try await host.authority.log.entries(AccessLogQuery(limit: 100))
            #expect(tested.contains { $0.operation == "alert-test" && $0.sensor == "gauge" })
        }
    }

    @Test func `a rule without data says so, and neither fires nor resolves`() async throws {
        try await ServedHost.with { host in
            try await put(host)
            await pass(host, seconds: 40, level: 20)
            await pass(host, seconds: 60, level: nil)
            let silent = try await state(host)
            #expect(silent["state"]?.string == "firing")
            #expect(silent["missing"]?["reason"]?.string == "no-samples")
            let off = try await call(
                host, "PUT", "/collection/gauge", json: #"{"level": "off"}"#)
            #expect(off.status == 200, "\(off.text)")
            await pass(host, seconds: 10, level: nil)
            #expect(try await state(host)["missing"]?["reason"]?.string == "sensor-off")
            #expect(try await events(host) == ["fired"])
        }
    }

    @Test func `a rule about a sensor that was removed stays`() async throws {
        try await ServedHost.with { host in
            _ = try await host.declareSteps()
            _ = try await host.publish(#"{"t": 1, "count": 1, "mood": "up"}"#)
            try await put(
                host, "steps",
                #"{"sensor":"steps","field":"count","window":"1m","above":1,"missing":"fire"}"#)
            let removed = try await call(host, "DELETE", "/sensors/steps")
            #expect(removed.status == 204, "\(removed.text)")
            // Missing data count when a window has passed.
            await pass(host, seconds: 120, level: nil)
            let rule = try await state(host, "steps")
            #expect(
                ["sensor-removed", "sensor-unavailable", "no-samples"].contains(
                    rule["missing"]?["reason"]?.string))
            #expect(rule["state"]?.string == "firing")
        }
    }

    @Test func `only samples that meet the conditions count`() async throws {
        try await ServedHost.with { host in
            try await put(
                host, "level",
                #"{"sensor":"gauge","window":"30s","above":10,"coverage":0,"where":["level<100"]}"#)
            await pass(host, seconds: 40, level: 500)
            #expect(try await state(host)["missing"]?["reason"]?.string == "no-samples")
            await pass(host, seconds: 40, level: 50)
            #expect(try await state(host)["value"]?.number?.double == 50)
        }
    }

    // MARK: - Webhooks

    @Test func `a server that fails is called again with the same key, until it accepts`()
        async throws
    {
        let answers = Mutex(["503 Service Unavailable", "500 Internal Server Error"])
        try await LocalServer.with { _ in
            .answer(status: answers.withLock { $0.isEmpty ? "204 No Content" : $0.removeFirst() })
        } _: { server in
            try await ServedHost.with { host in
                let token = host.folder.appending(path: "hook-token")
                try Data("secret-token\n".utf8).write(to: token)
                chmod(token.path(percentEncoded: false), 0o600)
                try await put(
                    host, "level",
                    """
                    {"sensor":"gauge","field":"level","window":"30s","above":10,"coverage":0,
                     "webhook":{"url":"http://127.0.0.1:\(server.port)/hook?key=1",
                     "tokenFile":"\(token.path(percentEncoded: false))"}}
                    """)
                await pass(host, seconds: 40, level: 20)
                for _ in 0..<12 {
                    host.clock.advance(.seconds(5))
                    await host.alerts.deliver()
                }
                let received = server.received
                #expect(received.count == 3)
                #expect(Set(received.compactMap { $0["Idempotency-Key"] }).count == 1)
                #expect(received.allSatisfy { $0.target == "/hook?key=1" && $0.method == "POST" })
                #expect(received.allSatisfy { $0["Authorization"] == "Bearer secret-token" })
                let body = try StrictJSON(maximumBytes: 10_000).parse(received[0].body)
                #expect(body["alert"]?.string == "level")
                #expect(body["event"]?.string == "fired")
                #expect(body["value"]?.number?.double == 20)
                #expect(body["sensor"]?.string == "gauge")
                #expect(Set(received.map(\.body)).count == 1)
                let event = try await call(host, "GET", "/alerts/level/events").json()["items"]
                #expect(
                    event?.array?.first?["deliveries"]?.array?.first?["state"]?.string == "done")
                // Each attempt is recorded without the path, which may be a secret.
                let log = try await host.authority.log.entries(AccessLogQuery(limit: 200))
                let calls = log.filter { $0.privilege == "net:http://127.0.0.1:\(server.port)" }
                #expect(calls.reduce(0) { $0 + $1.calls } >= 6, "body and answer, three times")
                #expect(!log.contains { "\($0)".contains("key=1") || "\($0)".contains("secret") })
            }
        }
    }

    @Test func `this host itself and redirects are not called`() async throws {
        try await LocalServer.with { _ in
            .redirect(to: "http://127.0.0.1:1/elsewhere")
        } _: { server in
            try await ServedHost.with { host in
                for (name, port) in [("own", host.port), ("moved", server.port)] {
                    try await put(
                        host, name,
                        """
                        {"sensor":"gauge","window":"30s","above":10,"coverage":0,
                         "webhook":{"url":"http://127.0.0.1:\(port)/api/v1/status"}}
                        """)
                }
                await pass(host, seconds: 40, level: 20)
                for name in ["own", "moved"] {
                    let rule = try await state(host, name)
                    #expect(rule["waiting"]?.number?.double == 0, "\(name)")
                    #expect(rule["problem"]?.string != nil, "\(name)")
                }
                #expect(server.received.count == 1)
            }
        }
    }

    // MARK: - Runs

    @Test func `an app is started in the background when a rule fires`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await put(
                host, "level",
                #"{"sensor":"gauge","window":"30s","above":10,"coverage":0,"run":"my-app"}"#)
            await pass(host, seconds: 40, level: 20)
            let runs = await host.supervisor.runs()
            #expect(runs.map(\.app) == ["my-app"])
            #expect(runs.allSatisfy { !$0.isForeground })
            await host.supervisor.forget(app: "my-app")
        }
    }
}
