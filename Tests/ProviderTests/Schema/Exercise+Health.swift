import Foundation
import Samples
import Text

/// Calls of the health store.
extension Exercise {
    static func health(_ host: ServedHost) async throws -> [Exercise] {
        let now = host.clock.now.milliseconds
        let workout = #"{"activity": "running", "start": \#(now - 60_000), "end": \#(now), "#
        let steps = #"{"type": "steps", "value": 900}"#
        let whole = workout + #""samples": [\#(steps)], "metadata": {"indoor": false}}"#
        let pressure = """
            {"type": "blood-pressure", "samples": [
              {"type": "blood-pressure-systolic", "value": 121},
              {"type": "blood-pressure-diastolic", "value": 79}]}
            """
        let many = Array(repeating: steps, count: ServedHost.healthLimit + 1)
            .joined(separator: ",")
        let wide = #"{"x": ""# + String(repeating: "x", count: 1 << 20) + #""}"#
        // Made before the others, to have an identifier.
        let made = try await host.send(
            Call("POST", "/api/v1/health/workouts", token: host.owner, json: whole))
        let id = try made.json()["id"]?.string ?? ""
        let pair = try await host.send(
            Call("POST", "/api/v1/health/correlations", token: host.owner, json: pressure))
        let part = try pair.json()["samples"]?.array?.first?["id"]?.string ?? ""
        let (samples, workouts) = ("/health/samples", "/health/workouts")
        let (born, correlations) = ("/health/characteristics/date-of-birth", "/health/correlations")
        func wrong(_ operation: String, _ target: String) -> [Exercise] {
            [
                host.owned(operation, 400, "POST", target, json: "{"),
                host.owned(operation, 413, "POST", target, json: wide),
                host.owned(
                    operation, 415, "POST", target, json: "{}",
                    headers: [("Content-Type", "text/plain")]),
            ]
        }
        return host.wrongBodies("setCharacteristic", "PUT", born)
            + wrong("saveHealthSamples", samples) + wrong("saveHealthWorkout", workouts)
            + wrong("saveHealthCorrelation", correlations) + [
                host.owned("healthTypes", 200, "GET", "/health/types"),
                host.owned("characteristic", 404, "GET", born),
                host.owned(
                    "setCharacteristic", 204, "PUT", born, json: #"{"value": "1984-02-29"}"#),
                host.owned("setCharacteristic", 422, "PUT", born, json: #"{"value": "1984"}"#),
                host.owned(
                    "setCharacteristic", 404, "PUT", "/health/characteristics/steps",
                    json: #"{"value": 1}"#),
                host.owned("characteristic", 200, "GET", born),
                host.owned("removeCharacteristic", 204, "DELETE", born),
                host.owned("removeCharacteristic", 404, "DELETE", "/health/characteristics/x"),
                host.owned("saveHealthSamples", 201, "POST", samples, json: steps),
                host.owned("saveHealthSamples", 201, "POST", samples, json: "[\(steps)]"),
                host.owned(
                    "saveHealthSamples", 404, "POST", samples, json: #"{"type": "x", "value": 1}"#),
                host.owned(
                    "saveHealthSamples", 422, "POST", samples,
                    json: #"{"type": "steps", "value": 1, "unit": "kg"}"#),
                host.owned("saveHealthSamples", 507, "POST", samples, json: "[\(many)]"),
                host.owned("healthSamples", 200, "GET", "\(samples)?type=steps&limit=1"),
                host.owned("healthSamples", 400, "GET", samples),
                host.owned("healthSamples", 404, "GET", "\(samples)?type=x"),
                host.owned("healthSamples", 422, "GET", "\(samples)?type=steps&unit=kg"),
                host.owned("saveHealthWorkout", 201, "POST", workouts, json: whole),
                host.owned(
                    "saveHealthWorkout", 422, "POST", workouts,
                    json: #"{"activity": "flying", "start": 0, "end": 1}"#),
                host.owned(
                    "saveHealthWorkout", 404, "POST", workouts,
                    json: workout + #""samples": [{"type": "x", "value": 1}]}"#),
                host.owned(
                    "saveHealthWorkout", 507, "POST", workouts,
                    json: workout
                        + #""samples": [\#(many)]}"#),
                host.owned("healthWorkouts", 200, "GET", "\(workouts)?limit=1&zone=Europe/Zurich"),
                host.owned("healthWorkouts", 400, "GET", "\(workouts)?zone=Nowhere"),
                host.owned("healthWorkout", 200, "GET", "\(workouts)/\(id)"),
                host.owned("healthWorkout", 400, "GET", "\(workouts)/\(id)?x=1"),
                host.owned("healthWorkout", 404, "GET", "\(workouts)/x"),
                host.owned("saveHealthCorrelation", 201, "POST", correlations, json: pressure),
                host.owned(
                    "saveHealthCorrelation", 422, "POST", correlations,
                    json: #"{"type": "blood-pressure", "samples": []}"#),
                host.owned(
                    "saveHealthCorrelation", 404, "POST", correlations,
                    json: #"{"type": "x", "samples": []}"#),
                host.owned("healthCorrelations", 200, "GET", "\(correlations)?type=blood-pressure"),
                host.owned("healthCorrelations", 400, "GET", correlations),
                host.owned("healthCorrelations", 404, "GET", "\(correlations)?type=x"),
                host.owned("healthSummary", 200, "GET", "/health/summary"),
                host.owned("removeHealthObject", 422, "DELETE", "/health/objects/\(part)"),
                host.owned("removeHealthObject", 204, "DELETE", "/health/objects/\(id)"),
                host.owned("removeHealthObject", 404, "DELETE", "/health/objects/\(id)"),
                host.owned("deleteHealth", 400, "DELETE", "/health"),
                host.owned("deleteHealth", 400, "DELETE", "/health?all&type=steps"),
                host.owned("deleteHealth", 404, "DELETE", "/health?type=x"),
                host.owned("deleteHealth", 200, "DELETE", "/health?type=steps"),
            ] + (try filled(host, pressure)) + [
                host.owned("deleteHealth", 200, "DELETE", "/health?all")
            ]
    }

    /// Fills the store, so that no correlation can be added.
    private static func filled(_ host: ServedHost, _ pressure: String) throws -> [Exercise] {
        // Seven objects of the owner remain: a workout, and two correlations with their parts.
        let free = ServedHost.healthLimit - 8
        let samples = Array(repeating: #"{"type": "steps", "value": 1}"#, count: free)
        return [
            host.owned(
                "saveHealthSamples", 201, "POST", "/health/samples",
                json: "[\(samples.joined(separator: ","))]"),
            host.owned(
                "saveHealthCorrelation", 507, "POST", "/health/correlations", json: pressure),
        ]
    }
}
