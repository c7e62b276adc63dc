/// Pushes of other apps and programs.
extension Exercise {
    static func pushes(_ host: ServedHost) async throws -> [Exercise] {
        let phone = try await host.addPhone("ann", kinds: ["light", "location"])
        func push(
            _ operation: String, _ status: Int, _ target: String, _ body: String,
            token: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(
                    "POST", "/api/v1/push" + target, token: token ?? phone, headers: headers,
                    body: Array(body.utf8)))
        }
        let packed = [("Content-Encoding", "br")]
        let long = String(repeating: " ", count: 8 << 20 + 1)
        let (logger, tracks) = ("/sensor-logger", "/owntracks")
        let light = #"{"payload":[{"name":"light","time":1000,"values":{"lux":1}}]}"#
        let place = #"{"_type":"location","lat":1,"lon":2,"alt":3,"tst":4,"batt":5}"#
        let point =
            #"{"geometry":{"coordinates":[1,2]},"properties":{"timestamp":"2026-03-01T12:00:00Z"}}"#
        let batch = #"{"locations":[\#(point)]}"#
        let fix = #"{"location":{"coords":{"latitude":1,"longitude":2}}}"#
        let phones = [
            (logger, light, "pushSensorLogger"), (tracks, place, "pushOwnTracks"),
            ("/overland", batch, "pushOverland"), ("/osmand", fix, "pushOsmAnd"),
        ]
        .flatMap { target, body, operation in
            [
                push(operation, 200, target, body), push(operation, 400, target, "{"),
                push(operation, 404, target + "?device=none", body, token: host.owner),
                push(operation, 403, target + "?device=ben", body),
                push(operation, 413, target, long),
                push(operation, 415, target, body, headers: packed),
            ]
        }
        let lines = [
            ("/influx/write?db=x", "pushInfluxFirst"),
            ("/influx/api/v2/write?bucket=x&org=y", "pushInfluxSecond"),
        ].flatMap { target, operation in
            [
                push(operation, 204, target, "light,phone=ann illuminance=5"),
                push(operation, 400, target, "light,phone=ann illuminance=5\nlight illuminance"),
                push(operation, 400, target + "&precision=x", ""),
                push(operation, 403, target, "light,phone=ben illuminance=5"),
                push(operation, 404, target, "none f=1", token: host.owner),
                push(operation, 409, target, "gauge level=1", token: host.owner),
                push(operation, 413, target, long),
                push(operation, 415, target, "", headers: packed),
                push(operation, 503, target, "battery charge=1", token: host.owner),
            ]
        }
        func get(_ status: Int, _ query: String, token: String? = nil) -> Exercise {
            Exercise(
                "pushOsmAndGet", status,
                Call("GET", "/api/v1/push/osmand?lat=1&lon=2" + query, token: token ?? phone))
        }
        let parameters = [
            get(200, "&timestamp=1772366400"), get(400, "&speedUnit=mph"),
            get(404, "&device=none", token: host.owner), get(403, "&device=ben"),
        ]
        return phones + parameters + lines + metrics(host, phone, long)
    }

    private static func metrics(
        _ host: ServedHost, _ phone: String, _ long: String
    ) -> [Exercise] {
        func push(
            _ status: Int, _ metric: String, _ field: String = "asInt", token: String? = nil,
            headers: [(String, String)] = [], body: String? = nil
        ) -> Exercise {
            let point = #"{"timeUnixNano":"1000000000","\#(field)":1}"#
            let metrics = #"[{"name":"\#(metric)","gauge":{"dataPoints":[\#(point)]}}]"#
            let text = #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":\#(metrics)}]}]}"#
            return Exercise(
                "pushMetrics", status,
                Call(
                    "POST", "/v1/metrics", token: token ?? phone, headers: headers,
                    body: Array((body ?? text).utf8)))
        }
        return [
            push(200, "light.ann"), push(200, "light.ann", "asNothing"),
            push(400, "light.ann", body: "["), push(403, "light.ben"),
            push(404, "none", token: host.owner), push(409, "quiet", token: host.owner),
            push(413, "light.ann", body: long),
            push(415, "light.ann", headers: [("Content-Type", "application/x-protobuf")]),
            push(503, "battery", token: host.owner),
        ]
    }
}
