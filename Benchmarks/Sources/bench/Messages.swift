import Foundation

/// The rate at which messages of an MQTT broker are stored.
enum Messages {
    private static let count = 200_000

    static func figures() async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let file = "\(folder.path)/lines"
        let lines = (0..<count).map { "{\"t\": \(Double($0 % 1000) / 10)}\n" }.joined()
        try lines.write(toFile: file, atomically: true, encoding: .utf8)
        return try await Broker.with { broker in
            var (rates, shares, limits): ([Double], [Double], [Double]) = ([], [], [])
            for round in 0..<5 {
                limits.append(try await alone(broker, file, topic: "limit/\(round)"))
                let (stored, taken) = try await stored(
                    broker, file, topic: "bench/\(round)", in: "\(folder.path)/data\(round)")
                rates.append(Double(stored) / taken)
                shares.append(100 * Double(stored) / Double(count))
            }
            let limit = String(
                format: "mosquitto_sub alone: %.0f /s", Figure.median(limits))
            return [
                Figure(
                    name: "MQTT messages into the store", unit: "/s", rounds: rates, limit: limit),
                Figure(
                    name: "… of those sent at full speed", unit: "%", rounds: shares,
                    limit: "the others are dropped and counted"),
            ]
        }
    }

    /// Messages a second that the broker's own client receives and discards.
    private static func alone(
        _ broker: Broker, _ file: String, topic: String
    ) async throws -> Double {
        let listener = try broker.subscribe(to: topic, count: count)
        // mosquitto_sub prints nothing when it starts to listen.
        try await Task.sleep(for: .milliseconds(500))
        let taken = try await seconds {
            let publisher = try broker.publish(file, to: topic)
            publisher.waitUntilExit()
            listener.waitUntilExit()
        }
        return Double(count) / taken
    }

    /// How many were stored, and in how many seconds.
    private static func stored(
        _ broker: Broker, _ file: String, topic: String, in folder: String
    ) async throws -> (Int, Double) {
        let pack = """
            {"id": "bench", "title": "bench", "payload": {"format": "json"},
             "fields": [{"name": "temperature", "unit": "Cel", "from": "$.t"}],
             "source": {"kind": "mqtt", "host": "127.0.0.1", "port": \(broker.port),
                        "topic": "\(topic)"}}
            """
        var publisher: Process?
        defer { publisher?.waitUntilExit() }
        return try await Intake.stored(pack, in: folder, count: count) {
            publisher = try broker.publish(file, to: topic)
        }
    }
}
