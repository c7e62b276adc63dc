/// Calls of clients of SensorThings.
extension Exercise {
    static func sensorThings(_ host: ServedHost) -> [Exercise] {
        func get(_ operation: String, _ status: Int, _ path: String) -> Exercise {
            Exercise(
                operation, status,
                Call("GET", "/sensorthings/v1.1" + path, token: host.owner))
        }
        let stream = "/Datastreams(%27gauge:level%27)"
        return [
            get("sensorThings", 200, ""), get("sensorThings", 400, "?$top=1"),
            get("sensorThings1", 200, "/Things?$top=2&$count=true"),
            get("sensorThings1", 400, "/Things?$top=x"), get("sensorThings1", 404, "/Nothing"),
            get("sensorThings2", 200, stream + "/Observations?$top=1"),
            get("sensorThings2", 400, stream + "/Observations?$orderby=result"),
            get("sensorThings2", 404, stream + "/Nothing"),
            get("sensorThings3", 200, stream + "/name/$value"),
            get("sensorThings3", 400, stream + "/Thing/Datastreams?$search=x"),
            get("sensorThings3", 404, stream + "/Thing/Observations"),
            get("sensorThings4", 200, stream + "/Thing/name/$value"),
            get("sensorThings4", 400, stream + "/Thing/Datastreams/$ref?$top=x"),
            get("sensorThings4", 404, stream + "/Thing/name/none"),
            get("sensorThings5", 200, stream + "/Thing" + stream + "/Sensor/name"),
            get("sensorThings5", 400, stream + "/Thing" + stream + "/Sensor/Datastreams?$top=x"),
            get("sensorThings5", 404, stream + "/Thing" + stream + "/Sensor/none"),
        ]
    }
}
