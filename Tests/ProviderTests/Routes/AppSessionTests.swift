import Auth
import Foundation
import HTTPTypes
import Samples
import Testing
import Text

@testable import Provider

/// Access of apps and programs with tokens to sessions.
@Suite(.timeLimit(.minutes(10)))
struct AppSessionTests {
    /// Which sessions a route uses.
    enum Need: Equatable { case read, write, create, owner }

    /// Every route of sessions, deleting last.
    private static let routes: [(method: String, path: String, json: String?, need: Need)] = [
        ("GET", "", nil, .read), ("POST", "", #"{"name": "n", "sensors": ["gauge"]}"#, .create),
        ("GET", "/{session}", nil, .read), ("GET", "/{session}/route", nil, .read),
        ("GET", "/{session}/samples", nil, .read), ("GET", "/{session}/live", nil, .read),
        ("PATCH", "/{session}", #"{"name": "other"}"#, .write),
        ("POST", "/{session}/start", nil, .write), ("POST", "/{session}/pause", nil, .write),
        ("POST", "/{session}/resume", nil, .write), ("POST", "/{session}/finish", nil, .write),
        ("POST", "/{session}/send", #"{"to": "https://trips.example/taken"}"#, .owner),
        ("DELETE", "/{session}", nil, .write),
    ]

    private static let notFound = "There is no session with this identifier."

    /// Creates a session that is finished.
    private static func make(_ id: String, _ host: ServedHost, token: String) async throws {
        let sessions = "/api/v1/sessions"
        let json = #"{"id": "\#(id)", "name": "Test", "sensors": ["gauge"]}"#
        let made = try await host.send(Call("POST", sessions, token: token, json: json))
        guard made.status == 201 else { throw Answer.NotHTTP(text: made.text) }
        for step in ["start", "finish"] {
            host.clock.advance(.seconds(1))
            let answer = try await host.send(
                Call("POST", "\(sessions)/\(id)/\(step)", token: token))
            guard answer.status == 200 else { throw Answer.NotHTTP(text: answer.text) }
        }
    }

    @Test(arguments: [
        [], ["sessions"], ["sessions:write"], ["sessions", "sessions:write"],
    ])
    func `every route enforces the grants for sessions of the app, another app and the owner`(
        grants: [String]
    ) async throws {
        try await ServedHost.with { host in
            let described = host.provider.resources.flatMap { path, methods in
                methods.map { "\($0.rawValue) \(path)" }
            }.filter { $0.contains("/api/v1/sessions") }
            #expect(
                Set(described) == Set(Self.routes.map { "\($0.method) /api/v1/sessions\($0.path)" })
            )
            let recording = ["sensor:gauge", "sessions:write"]
            let mine = try await host.client("mine", allow: recording)
            let other = try await host.client("other", allow: recording)
            let makers = [("own", mine), ("others", other), ("owners", host.owner)]
            for (id, token) in makers { try await Self.make(id, host, token: token) }
            if !grants.contains("sessions:write") {
                try await host.authority.reset(.sessions(.write), of: "mine")
            }
            if grants.contains("sessions") {
                try await host.decide(.allowAlways, "sessions", by: "mine")
            }
            for (method, path, json, need) in Self.routes {
                let isAllowed =
                    switch need {
                    case .read: !grants.isEmpty
                    case .write, .create: grants.contains("sessions:write")
                    case .owner: false
                    }
                for (id, _) in makers {
                    let target = path.replacing("{session}", with: id)
                    let answer = try await host.send(
                        Call(method, "/api/v1/sessions" + target, token: mine, json: json))
                    let what: Comment = "\(grants) \(method) \(target): \(answer.text.prefix(200))"
                    guard isAllowed else {
                        #expect(answer.status == 403, what)
                        #expect(answer.code == (need == .owner ? "owner-only" : "undecided"), what)
                        continue
                    }
                    #expect(answer.status != 403, what)
                    let isMine = id == "own"
                    let seesAll = need == .read && grants.contains("sessions")
                    if path.isEmpty { continue }
                    #expect(answer.text.contains(Self.notFound) == !(isMine || seesAll), what)
                }
            }
            // Sessions that the app did not create are unchanged.
            for id in ["others", "owners"] {
                let session = try await host.sessions("GET", "/\(id)").json()
                #expect(session["name"]?.string == "Test")
                #expect(session["finished"]?.bool == true)
            }
            let isDeleted = try await host.sessions("GET", "/own").status == 404
            #expect(isDeleted == grants.contains("sessions:write"))
        }
    }

    @Test func `a list has the sessions of the grant, and the app's own are marked`() async throws {
        try await ServedHost.with { host in
            let app = try await host.client("app", allow: ["sensor:gauge", "sessions:write"])
            let other = try await host.client("other", allow: ["sensor:gauge", "sessions:write"])
            for (id, token) in [("a", app), ("b", other), ("c", host.owner), ("d", app)] {
                try await Self.make(id, host, token: token)
            }
            func list(_ token: String, _ query: String = "") async throws -> [String] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sessions" + query, token: token))
                return (try answer.json()["items"]?.array ?? []).map { item in
                    "\(item["id"]?.string ?? "")=\(item["app"]?.string ?? "")"
                }
            }
            #expect(try await list(app) == ["d=app", "a=app"])
            #expect(try await list(app, "?limit=1&cursor=d") == ["a=app"])
            #expect(try await list(host.owner) == ["d=app", "c=", "b=other", "a=app"])
            try await host.decide(.allowAlways, "sessions", by: "app")
            #expect(try await list(app) == ["d=app", "c=", "b=", "a=app"])
        }
    }

    @Test func `a later client of the same name does not own the sessions of the earlier one`()
        async throws
    {
        try await ServedHost.with { host in
            let first = try await host.client("app", allow: ["sensor:gauge", "sessions:write"])
            try await Self.make("a", host, token: first)
            try await host.authority.revokeClient("app")
            let second = try await host.client("app", allow: ["sensor:gauge", "sessions:write"])
            let answer = try await host.send(Call("GET", "/api/v1/sessions/a", token: second))
            #expect(answer.status == 404)
            #expect(try await host.sessions("GET", "/a").json()["app"]?.string == "app")
        }
    }

    @Test(arguments: [
        ("gauge", "sensor:gauge", 201), ("gauge", "sensor:gauge:stats", 201),
        ("gauge", "sensor:gauge:write", 201), ("gauge", "sensor:quiet", 403),
        ("nothing", "sensor:gauge", 403),
    ])
    func `a session can name only sensors for which the app has a grant`(
        sensor: String, grant: String, status: Int
    ) async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: [grant, "sessions:write"])
            let made = try await host.send(
                Call(
                    "POST", "/api/v1/sessions", token: token,
                    json: #"{"name": "n", "sensors": ["\#(sensor)"]}"#))
            #expect(made.status == status)
            if status != 201 { #expect(made.code == "undecided") }
        }
    }

    @Test
    func `samples and routes require the sensor's privilege, imported routes one without terms`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.declareSensor("location", numbers: "latitude", "longitude")
            try await Self.make("a", host, token: host.owner)
            let token = try await host.client(allow: ["sessions"])
            let workout = """
                <plist version="1.0"><array><dict><key>id</key><string>b</string><key>startTime</key>
                <date>2026-03-01T12:00:00Z</date><key>endTime</key><date>2026-03-01T12:30:00Z</date>
                </dict></array></plist>
                """
            let imported = try await host.send(
                Call(
                    "POST", "/api/v1/workouts", token: host.owner,
                    headers: [("Content-Type", "application/x-plist")], body: Array(workout.utf8)))
            let id = try #require(try imported.json()["items"]?.array?.first?["id"]?.string)
            func status(_ target: String) async throws -> Int {
                try await host.send(Call("GET", "/api/v1/sessions" + target, token: token)).status
            }
            #expect(try await status("/a/samples") == 403)
            try await host.decide(.allowAlways, "sensor:gauge", by: "curl")
            #expect(try await status("/a/samples") == 200)
            #expect(try await status("/\(id)/route") == 403)
            for terms in [
                Terms(access: .raw, precision: 0.1), Terms(access: .raw, maximumRate: 1),
                Terms(access: .raw, history: .seconds(60)),
            ] {
                try await host.decide(.allow(terms), "sensor:location", by: "curl")
                #expect(try await status("/\(id)/route") == 403)
            }
            try await host.decide(.allowAlways, "sensor:location", by: "curl")
            #expect(try await status("/\(id)/route") == 200)
        }
    }

    @Test func `operations of an app on sessions are in the access log`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge", "sessions:write"])
            try await Self.make("a", host, token: token)
            _ = try await host.send(Call("GET", "/api/v1/sessions", token: token))
            try await host.authority.reset(nil, of: "curl")
            _ = try await host.send(Call("DELETE", "/api/v1/sessions/a", token: token))
            let entries = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
            let lines = Set(
                entries.filter { $0.privilege == "sessions:write" }
                    .map { "\($0.kind.rawValue) \($0.operation ?? "-")" })
            #expect(
                lines.isSuperset(of: [
                    "access create-session", "access start-session", "access finish-session",
                    "access sessions", "refusal remove-session",
                ]), "\(lines)")
        }
    }

    @Test func `the SDK records a session, and reads it back`() async throws {
        let script = """
            const { sessions } = nervous;
            (async () => {
              const { id } = await sessions.create({ name: "Press-ups", sensors: "gauge" });
              say((await sessions.start(id)).state, (await sessions.pause(id)).state);
              await sessions.resume(id);
              say((await sessions.finish(id)).finished);
              say((await sessions.update(id, { description: "ten" })).description);
              say((await sessions.list()).map(({ name, app }) => [name, app]));
              say(await sessions.samples(id));
              for await (const { finished } of sessions.live(id)) say(finished);
              await sessions.remove(id);
              await sessions.get(id).catch((error) => say(error.name));
              const state = await nervous.permissions.query({ name: "sessions", access: "write" });
              say(state.state, (await nervous.permissions.query({ name: "sessions" })).state);
            })();
            """
        try await ServedHost.with { host in
            let lines = try await host.play(
                script,
                privileges: #"["gauge", {"sessions": "write", "reason": "Records exercises"}]"#,
                decisions: ["sensor:gauge": .allowAlways, "sessions:write": .allowAlways])
            #expect(
                lines == [
                    "active paused", "true", "ten", #"[["Press-ups","demo"]]"#, "[]", "true",
                    "NotFoundError", "granted prompt",
                ])
        }
    }
}
