/// Workouts and trips.
extension Exercise {
    static func sessions(_ host: ServedHost) async throws -> [Exercise] {
        try await host.declareSensor("location", numbers: "latitude", "longitude")
        try await host.declareSensor("location.odd", numbers: "x")
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            host.owned(
                operation, status, method, "/sessions" + target, json: json, headers: headers)
        }
        func made(
            _ status: Int, _ id: String, _ sensor: String = "location", name: String = "A walk"
        ) -> Exercise {
            owned(
                "createSession", status, "POST", "",
                json: #"{"id": "\#(id)", "name": "\#(name)", "sensors": ["\#(sensor)"]}"#)
        }
        let wrong =
            host.wrongBodies("createSession", "POST", "/sessions")
            + host.wrongBodies("updateSession", "PATCH", "/sessions/walk")
        let gpx = [("Accept", "application/gpx+xml")]
        let steps = ["start", "pause", "resume", "finish"].flatMap { step in
            [
                owned("\(step)Session", 200, "POST", "/walk/\(step)"),
                owned("\(step)Session", 409, "POST", "/walk/\(step)"),
                owned("\(step)Session", 404, "POST", "/none/\(step)"),
            ]
        }
        func workouts(_ status: Int, _ method: String, _ target: String = "") -> Exercise {
            Exercise(
                "workouts", status,
                Call(method, "/api/v1/workouts" + target, token: host.owner))
        }
        let empty = "<plist version=\"1.0\"><array/></plist>"
        let workout = """
            <plist version="1.0"><array><dict><key>startTime</key><date>2026-03-01T12:00:00Z</date>
            <key>endTime</key><date>2026-03-01T12:30:00Z</date></dict></array></plist>
            """
        func sent(_ status: Int, _ body: String, _ type: String? = nil) -> Exercise {
            Exercise(
                "importWorkouts", status,
                Call(
                    "POST", "/api/v1/workouts", token: host.owner,
                    headers: [("Content-Type", type ?? "application/x-plist")],
                    body: Array(body.utf8)))
        }
        return [
            workouts(200, "GET"), workouts(400, "GET", "?format=gpx"),
            workouts(404, "GET", "?session=none"),
            sent(200, empty), sent(201, workout), sent(200, workout), sent(415, "x", "text/plain"),
            sent(422, "x"), sent(413, String(repeating: " ", count: 64 << 20 + 1)),
            Exercise(
                "importWorkouts", 400, Call("POST", "/api/v1/workouts?x=1", token: host.owner)),
            sent(422, String(repeating: "<array>", count: 100_000)),
            made(201, "walk"), made(201, "busy", "gauge"), made(409, "walk"),
            made(404, "x", "none"), made(422, "x", name: ""),
        ] + wrong + steps + [
            owned("updateSession", 200, "PATCH", "/walk", json: #"{"name": "B"}"#),
            owned("updateSession", 404, "PATCH", "/none", json: #"{"name": "B"}"#),
            owned("updateSession", 409, "PATCH", "/walk", json: #"{"sensors": ["gauge"]}"#),
            owned("updateSession", 422, "PATCH", "/walk", json: #"{"distance": -1}"#),
            owned("sessionRoute", 200, "GET", "/walk/route"),
            owned("sessionRoute", 200, "GET", "/walk/route", headers: gpx),
            owned("sessionRoute", 200, "GET", "/walk/route", headers: [("Accept", "image/*")]),
            owned("sessionRoute", 400, "GET", "/walk/route?format=kml"),
            owned("sessionRoute", 404, "GET", "/busy/route"),
            workouts(409, "GET", "?session=busy"),
            owned("sessionRoute", 406, "GET", "/walk/route", headers: [("Accept", "image/png")]),
            owned("sessionSamples", 200, "GET", "/busy/samples"),
            owned("sessionSamples", 200, "GET", "/busy/samples?format=csv"),
            owned("sessionSamples", 200, "GET", "/busy/samples?format=ndjson"),
            owned("sessionSamples", 200, "GET", "/busy/samples?format=svg"),
            owned("sessionSamples", 400, "GET", "/busy/samples?format=gpx"),
            owned("sessionSamples", 404, "GET", "/none/samples"),
            owned(
                "sessionSamples", 406, "GET", "/busy/samples", headers: [("Accept", "image/png")]),
            owned("sessionSamples", 409, "GET", "/walk/samples"),
            made(201, "odd", "location.odd"), owned("sessionRoute", 422, "GET", "/odd/route"),
            // The session has ended, and so the stream ends.
            owned("liveSession", 200, "GET", "/walk/live"),
            owned("liveSession", 400, "GET", "/walk/live?every=2"),
            owned("liveSession", 404, "GET", "/none/live"),
            owned("session", 200, "GET", "/walk"), owned("session", 404, "GET", "/none"),
            owned("listSessions", 200, "GET", "?limit=1"),
            owned("listSessions", 400, "GET", "?limit=0"),
            owned("removeSession", 204, "DELETE", "/walk"),
            owned("removeSession", 404, "DELETE", "/walk"),
        ]
    }
}
