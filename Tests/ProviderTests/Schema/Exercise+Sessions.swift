/// Workouts and trips.
extension Exercise {
    static func sessions(_ host: ServedHost) async throws -> [Exercise] {
        try await host.declareSensor("location", numbers: "latitude", "longitude")
        try await host.declareSensor("location.odd", numbers: "x")
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(
                    method, "/api/v1/sessions" + target, token: host.owner, headers: headers,
                    json: json))
        }
        func made(
            _ status: Int, _ id: String, _ sensor: String = "location", name: String = "A walk"
        ) -> Exercise {
            owned(
                "createSession", status, "POST", "",
                json: #"{"id": "\#(id)", "name": "\#(name)", "sensors": ["\#(sensor)"]}"#)
        }
        let text = [("Content-Type", "text/plain")]
        let wrong = [("createSession", "POST", ""), ("updateSession", "PATCH", "/walk")]
            .flatMap { operation, method, target in
                [
                    owned(operation, 400, method, target, json: "{"),
                    owned(operation, 413, method, target, json: big),
                    owned(operation, 415, method, target, json: "{}", headers: text),
                ]
            }
        let gpx = [("Accept", "application/gpx+xml")]
        let steps = ["start", "pause", "resume", "finish"].flatMap { step in
            [
                owned("\(step)Session", 200, "POST", "/walk/\(step)"),
                owned("\(step)Session", 409, "POST", "/walk/\(step)"),
                owned("\(step)Session", 404, "POST", "/none/\(step)"),
            ]
        }
        return [
            made(201, "walk"), made(201, "busy", "gauge"), made(409, "walk"),
            made(404, "x", "none"), made(422, "x", name: ""),
        ] + wrong + steps + [
            owned("updateSession", 200, "PATCH", "/walk", json: #"{"name": "B"}"#),
            owned("updateSession", 404, "PATCH", "/none", json: #"{"name": "B"}"#),
            owned("updateSession", 409, "PATCH", "/walk", json: #"{"sensors": ["gauge"]}"#),
            owned("updateSession", 422, "PATCH", "/walk", json: #"{"distance": -1}"#),
            owned("sessionRoute", 200, "GET", "/walk/route"),
            owned("sessionRoute", 200, "GET", "/walk/route", headers: gpx),
            owned("sessionRoute", 400, "GET", "/walk/route?format=kml"),
            owned("sessionRoute", 404, "GET", "/busy/route"),
            owned("sessionRoute", 406, "GET", "/walk/route", headers: [("Accept", "image/png")]),
            made(201, "odd", "location.odd"), owned("sessionRoute", 422, "GET", "/odd/route"),
            owned("session", 200, "GET", "/walk"), owned("session", 404, "GET", "/none"),
            owned("listSessions", 200, "GET", "?limit=1"),
            owned("listSessions", 400, "GET", "?limit=0"),
            owned("removeSession", 204, "DELETE", "/walk"),
            owned("removeSession", 404, "DELETE", "/walk"),
        ]
    }
}
