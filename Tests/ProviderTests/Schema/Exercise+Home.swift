/// Calls of the published web server of a home.
extension Exercise {
    static func home(_ host: ServedHost) async throws -> [Exercise] {
        try await host.declareSensor("climate.dht", numbers: "temperature", "humidity")
        try await host.feedSensor(#"{"temperature": 28.2, "humidity": 41.5}"#, to: "climate.dht")
        try await host.declareSensor("door.front", fields: [("lock", "state")])
        try await host.feedSensor(#"{"lock": "locked"}"#, to: "door.front")
        let operations = [
            ("homeTemperature", "GET", "/home/temperature"),
            ("homeDoorConnect", "POST", "/home/door/connect"),
            ("homeDoorStatus", "GET", "/home/door/status"),
            ("homeDoorDisconnect", "POST", "/home/door/disconnect"),
        ]
        let sensors = ["climate.dht", "door.front", "door.front", "door.front"]
        let taken = zip(operations, sensors).map { operation, sensor in
            host.owned(operation.0, 200, operation.1, "\(operation.2)?sensor=\(sensor)")
        }
        let refused = operations.map { host.owned($0.0, 400, $0.1, "\($0.2)?door=front") }
        let failed = operations.dropLast().map {
            host.owned($0.0, 500, $0.1, "\($0.2)?sensor=none")
        }
        return taken + refused + failed
    }
}
