import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import Provider

/// The health store over HTTP: who reads and saves what.
@Suite(.timeLimit(.minutes(10)))
struct HealthRouteTests {
    private static func call(
        _ method: String, _ target: String, _ token: String, _ host: ServedHost,
        json: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(method, "/api/v1/health" + target, token: token, json: json))
    }

    /// A body for a workout that started some seconds ago and lasted a minute.
    private static func workout(
        ago seconds: Double, _ host: ServedHost, activity: String = "running",
        samples: String = ""
    ) -> String {
        let start = host.clock.now.milliseconds - seconds * 1000
        return """
            {"activity": "\(activity)", "start": \(start), "end": \(start + 60_000),
             "samples": [\(samples)]}
            """
    }

    private static func ids(_ answer: Answer) throws -> [String] {
        (try answer.json()["items"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    @Test func `two apps share a workout, of which each sees the types that it may read (B26)`()
        async throws
    {
        try await ServedHost.with { host in
            let saving = ["workout", "steps", "heart-rate"].map { "health:\($0):write" }
            let runner = try await host.client("runner", allow: saving)
            let viewer = try await host.client(
                "viewer", allow: ["health:workout", "health:steps"])
            let made = try await Self.call(
                "POST", "/workouts", runner, host,
                json: Self.workout(
                    ago: 100, host,
                    samples:
                        #"{"type": "steps", "value": 180}, {"type": "heart-rate", "value": 99}"#
                ))
            #expect(made.status == 201, "\(made.text)")
            let own = try made.json()
            #expect(own["own"]?.bool == true)
            #expect(own["app"]?.string == "runner")
            #expect(own["samples"]?.array?.count == 2)
            let id = try #require(own["id"]?.string)
            let seen = try await Self.call("GET", "/workouts/\(id)", viewer, host).json()
            #expect(seen["own"]?.bool == false)
            #expect(seen["app"] == nil)
            #expect(seen["samples"]?.array?.compactMap { $0["type"]?.string } == ["steps"])
            #expect(seen["totals"]?["steps"]?.number?.double == 180)
            // Nobody else changes it.
            let removal = try await Self.call("DELETE", "/objects/\(id)", viewer, host)
            #expect(removal.status == 404)
            #expect(try await Self.call("DELETE", "/objects/\(id)", runner, host).status == 204)
            #expect(try await Self.call("GET", "/workouts/\(id)", viewer, host).status == 404)
        }
    }

    @Test func `an app that may only save cannot read (B27)`() async throws {
        try await ServedHost.with { host in
            let app = try await host.client("app", allow: ["health:steps:write"])
            let json = #"{"type": "steps", "value": 10}"#
            #expect(try await Self.call("POST", "/samples", app, host, json: json).status == 201)
            let answer = try await Self.call("GET", "/samples?type=steps", app, host)
            #expect(answer.status == 403)
            #expect(answer.code == "undecided")
            #expect(try answer.json()["privilege"]?.string == "health:steps")
        }
    }

    @Test func `a denied read looks as if there was nothing of others`() async throws {
        try await ServedHost.with { host in
            let app = try await host.client(
                "app", allow: ["health:body-mass:write", "health:body-mass"])
            let sample = #"{"type": "body-mass", "value": 70}"#
            _ = try await Self.call("POST", "/samples", host.owner, host, json: sample)
            let mine = try Self.ids(
                try await Self.call("POST", "/samples", app, host, json: sample))
            _ = try await Self.call(
                "PUT", "/characteristics/date-of-birth", host.owner, host,
                json: #"{"value": "1984-02-29"}"#)
            let all = try await Self.call("GET", "/samples?type=body-mass", app, host)
            #expect(try Self.ids(all).count == 2)
            for type in ["body-mass", "date-of-birth"] {
                try await host.decide(.deny, "health:\(type)", by: "app")
            }
            let answer = try await Self.call("GET", "/samples?type=body-mass", app, host)
            #expect(answer.status == 200)
            #expect(try Self.ids(answer) == mine)
            let born = try await Self.call("GET", "/characteristics/date-of-birth", app, host)
            #expect(born.status == 404)
            #expect(born.code == "not-found")
            #expect(born.text.contains("has not set date-of-birth"))
            // Neither does it find out otherwise.
            let state = try await host.send(
                Call("GET", "/api/v1/permissions/health:body-mass", token: app)
            ).json()
            #expect(state["state"]?.string == "granted")
            let me = try await host.send(Call("GET", "/api/v1/me", token: app)).json()
            let shown = me["privileges"]?.array?.map { item in
                "\(item["privilege"]?.string ?? "") \(item["state"]?.string ?? "")"
            }
            #expect(
                shown == [
                    "health:body-mass granted", "health:body-mass:write granted",
                    "health:date-of-birth granted",
                ])
            #expect(me["privileges"]?.array?.allSatisfy { $0["terms"] != nil } == true)
        }
    }

    @Test func `a unit of another dimension is refused, and others are converted (B29)`()
        async throws
    {
        try await ServedHost.with { host in
            let wrong = try await Self.call(
                "POST", "/samples", host.owner, host,
                json: #"{"type": "heart-rate", "value": 60, "unit": "kg"}"#)
            #expect(wrong.status == 422)
            #expect(wrong.code == "unit-mismatch")
            let saved = try await Self.call(
                "POST", "/samples", host.owner, host,
                json: #"[{"type": "body-mass", "value": 165, "unit": "[lb_av]"}]"#)
            let item = try saved.json()["items"]?.array?.first
            #expect(item?["unit"]?.string == "kg")
            let read = try await Self.call(
                "GET", "/samples?type=body-mass&unit=%5Blb_av%5D", host.owner, host)
            let value = try read.json()["items"]?.array?.first?["value"]?.number?.double ?? 0
            #expect(abs(value - 165) < 1e-9)
        }
    }

    @Test func `a workout whose samples are refused is not stored (B30)`() async throws {
        try await ServedHost.with { host in
            let app = try await host.client(
                "app", allow: ["health:workout:write", "health:steps:write", "health:workout"])
            let bodies = [
                // Not granted, of another unit, and outside of the workout.
                (#"{"type": "steps", "value": 1}, {"type": "heart-rate", "value": 99}"#, 403),
                (
                    #"{"type": "steps", "value": 1}, {"type": "steps", "value": 1, "unit": "m"}"#,
                    422
                ),
                (#"{"type": "steps", "value": 1}, {"type": "steps", "value": 1, "start": 0}"#, 422),
            ]
            for (samples, status) in bodies {
                let answer = try await Self.call(
                    "POST", "/workouts", app, host,
                    json: Self.workout(ago: 100, host, samples: samples))
                #expect(answer.status == status, "\(answer.text)")
            }
            let summary = try await Self.call("GET", "/summary", host.owner, host).json()
            #expect(summary["items"]?.array?.isEmpty == true)
        }
    }

    @Test func `the history has ten workouts of seven days, the boundary included (B32)`()
        async throws
    {
        try await ServedHost.with { host in
            let week = 604_800.0
            // Twelve, of which one is at the boundary, one a second within and one a second beyond it.
            let ages = (1...9).map { Double($0) * 3600 } + [week - 1, week, week + 1]
            var generator = SplitMix(state: 32)
            for age in ages.shuffled(using: &generator) {
                let answer = try await Self.call(
                    "POST", "/workouts", host.owner, host, json: Self.workout(ago: age, host))
                #expect(answer.status == 201)
            }
            func starts(_ query: String) async throws -> (ages: [Double], next: String?) {
                let json = try await Self.call("GET", "/workouts" + query, host.owner, host).json()
                let found = (json["items"]?.array ?? []).compactMap {
                    $0["start"]?.number?.double
                }
                let now = host.clock.now.milliseconds
                return (found.map { ((now - $0) / 1000).rounded() }, json["next"]?.string)
            }
            let first = try await starts("")
            #expect(first.ages == Array(ages.prefix(10)))
            let rest = try await starts("?cursor=" + (first.next ?? ""))
            #expect(rest.ages == [week])
            #expect(rest.next == nil)
            #expect(try await starts("?from=-30d&limit=100").ages == ages)
        }
    }

    @Test func `a row has the date, the activity, the duration, the distance and the floors (B33)`()
        async throws
    {
        try await ServedHost.with { host in
            // 2020-09-13T12:26:40Z
            let start = 1_600_000_000_000.0
            func body(_ seconds: Double, _ samples: String) -> String {
                """
                {"activity": "running", "start": \(start), "end": \(start + seconds * 1000),
                 "samples": [\(samples)]}
                """
            }
            let distance = #"{"type": "distance-walking-running", "value": 5.2004, "unit": "km"}"#
            let floors = #"{"type": "flights-climbed", "value": 12}"#
            let long = try await Self.call(
                "POST", "/workouts?zone=UTC", host.owner, host,
                json: body(3723, "\(distance), \(floors)")
            ).json()
            #expect(
                long["text"]?["title"]?.string
                    == "2020-09-13 12:26 | running | 1 hrs 2 mins 3 secs")
            #expect(long["text"]?["detail"]?.string == "5200 m | 12 floors")
            #expect(long["distance"]?.number?.double == 5200.4)
            #expect(long["floors"]?.number?.double == 12)
            let short = try await Self.call(
                "POST", "/workouts?zone=Asia/Kolkata", host.owner, host, json: body(123, "")
            ).json()
            #expect(
                short["text"]?["title"]?.string == "2020-09-13 17:56 | running | 2 min 3 secs")
            #expect(short["text"]?["detail"]?.string == "0 m | 0 floors")
            #expect(short["distance"] == nil)
        }
    }

    @Test func `reads and saves are in the access log, without a value`() async throws {
        try await ServedHost.with { host in
            let app = try await host.client("app", allow: ["health:steps:write", "health:steps"])
            let json = #"[{"type": "steps", "value": 4711}, {"type": "steps", "value": 4711}]"#
            _ = try await Self.call("POST", "/samples", app, host, json: json)
            _ = try await Self.call("GET", "/samples?type=steps", app, host)
            let log = try await host.send(
                Call("GET", "/api/v1/access-log?client=app", token: host.owner))
            let entries = (try log.json()["items"]?.array ?? []).filter {
                $0["privilege"]?.string?.hasPrefix("health:") == true
                    && $0["operation"]?.string?.hasPrefix("health-") == true
            }.map { entry in
                "\(entry["operation"]?.string ?? "") \(entry["privilege"]?.string ?? "")"
                    + " \(entry["count"]?.number?.int64 ?? -1)"
            }
            #expect(
                Set(entries) == [
                    "health-save health:steps:write 2", "health-samples health:steps 2",
                ])
            #expect(!log.text.contains("4711"))
        }
    }

    @Test func `only the owner deletes what others saved, and the log says how much`() async throws
    {
        try await ServedHost.with { host in
            let app = try await host.client("app", allow: ["health:steps:write"])
            _ = try await Self.call(
                "POST", "/samples", app, host, json: #"{"type": "steps", "value": 1}"#)
            for target in ["", "?all", "?type=steps"] {
                let answer = try await Self.call("DELETE", target, app, host)
                #expect(answer.code == "owner-only")
            }
            let answer = try await Self.call("DELETE", "?app=app", host.owner, host)
            #expect(try answer.json()["deleted"]?.number?.int64 == 1)
            let log = try await host.send(Call("GET", "/api/v1/access-log", token: host.owner))
            #expect(log.text.contains("1 objects of app"))
        }
    }
}
