/// Calls of Prometheus and of clients of its query API.
extension Exercise {
    static func prometheus(_ host: ServedHost) async throws -> [Exercise] {
        let token = try await host.client("grafana", allow: ["sensor:gauge:stats"])
        func call(
            _ operation: String, _ status: Int, _ path: String, form: String? = nil,
            accept: String? = nil, token: String = host.owner
        ) -> Exercise {
            var headers = accept.map { [("Accept", $0)] } ?? []
            if form != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
            return Exercise(
                operation, status,
                Call(
                    form == nil ? "GET" : "POST", path, token: token, headers: headers,
                    body: form.map { Array($0.utf8) }))
        }
        let api = "/prometheus/api/v1"
        let range = "start=0&end=600&step=60"
        let metrics = [
            call("metrics", 200, "/metrics"),
            call("metrics", 200, "/metrics", accept: "application/openmetrics-text"),
            call("metrics", 400, "/metrics?x=1"),
            call("metrics", 406, "/metrics", accept: "image/png"),
        ]
        var exercises = metrics
        let forms: [(get: String, path: String, parameters: String)] = [
            ("prometheusQuery", "query", "query=sensor_gauge_level_percent"),
            ("prometheusQuery", "query", "query=1%2B1&time=5"),
            (
                "prometheusRange", "query_range",
                "query=avg_over_time(sensor_gauge_level_percent%5B5m%5D)&\(range)"
            ),
            ("prometheusSeries", "series", "match%5B%5D=%7Bsensor%3D%22gauge%22%7D"),
            ("prometheusLabels", "labels", ""),
        ]
        let wrong = "limit=x&match%5B%5D=x%20and%20y"
        for form in forms {
            let path = "\(api)/\(form.path)"
            exercises.append(call(form.get, 200, "\(path)?\(form.parameters)"))
            exercises.append(call(form.get + "Form", 200, path, form: form.parameters))
            exercises.append(call(form.get, 400, "\(path)?\(wrong)"))
            exercises.append(call(form.get + "Form", 400, path, form: wrong))
        }
        // A single sample is refused under a statistics-only grant.
        for (operation, path) in [
            ("prometheusQuery", "query"), ("prometheusRange", "query_range"),
        ] {
            let parameters = "query=sensor_gauge_level_percent&\(range)"
            exercises.append(
                call(operation, 422, "\(api)/\(path)?\(parameters)", token: token))
            exercises.append(
                call(
                    operation + "Form", 422, "\(api)/\(path)", form: parameters, token: token))
        }
        for (operation, path) in [
            ("prometheusLabelValues", "label/sensor/values"), ("prometheusMetadata", "metadata"),
            ("prometheusBuild", "status/buildinfo"),
        ] {
            exercises.append(call(operation, 200, "\(api)/\(path)?limit=2"))
            exercises.append(call(operation, 400, "\(api)/\(path)?limit=%FF"))
        }
        return exercises
    }
}
