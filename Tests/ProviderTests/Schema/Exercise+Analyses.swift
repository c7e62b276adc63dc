/// Analyses: each of them, and each error.
extension Exercise {
    static func analyses(_ host: ServedHost, app: String) -> [Exercise] {
        func asked(
            _ status: Int, _ json: String, token: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            Exercise(
                "analyze", status,
                Call(
                    "POST", "/api/v1/analyze", token: token ?? host.owner, headers: headers,
                    json: json))
        }
        func of(_ analysis: String, _ rest: String = "", inputs: String = #""gauge.level""#)
            -> String
        {
            #"{"analysis": "\#(analysis)", "inputs": [\#(inputs)]\#(rest)}"#
        }
        let both = #""gauge.level", "gauge.total""#
        return [
            asked(200, of("histogram")), asked(200, of("entropy", inputs: #""gauge.state""#)),
            asked(200, of("largest", #", "parameters": {"k": 2}"#)), asked(200, of("smallest")),
            asked(200, of("correlation", inputs: both)), asked(200, of("trend")),
            asked(200, of("trend", #", "to": 0"#)), asked(200, of("rate")),
            asked(200, of("resample", #", "every": "1s""#)), asked(200, of("downsample")),
            asked(200, of("spectrum", #", "every": "1s""#)),
            asked(200, of("k-means", #", "parameters": {"k": 2, "scale": false}"#, inputs: both)),
            asked(200, of("dbscan", #", "parameters": {"epsilon": 0.5}"#, inputs: both)),
            asked(200, of("anomalies")),
            asked(200, of("anomalies", #", "parameters": {"method": "change", "window": 4}"#)),
            asked(422, of("anomalies", #", "parameters": {"method": "best"}"#)),
            asked(400, "{"), asked(413, big),
            asked(415, "{}", headers: [("Content-Type", "text/plain")]),
            asked(403, of("trend"), token: app),
            asked(404, of("trend", inputs: #""none.x""#)), asked(422, of("none")),
            asked(503, of("trend", inputs: #""battery.charge""#)),
        ]
    }
}
