import Auth
import Foundation
import Samples

extension ServedHost {
    /// A call about sessions, by the owner.
    func sessions(
        _ method: String = "GET", _ target: String = "", json: String? = nil,
        accept: String? = nil
    ) async throws -> Answer {
        try await send(
            Call(
                method, "/api/v1/sessions" + target, token: owner,
                headers: accept.map { [("Accept", $0)] } ?? [], json: json))
    }

    /// Creates the session `walk`, with a location sensor that clients publish to.
    func makeWalk() async throws {
        try await declareSensor("location", numbers: "latitude", "longitude", "accuracy")
        let answer = try await sessions(
            "POST", json: #"{"id": "walk", "name": "A walk", "sensors": ["location"]}"#)
        guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
    }

    /// Performs a step of `walk`.
    func walk(_ step: String) async throws {
        let answer = try await sessions("POST", "/walk/\(step)")
        guard answer.status == 200 else { throw Answer.NotHTTP(text: answer.text) }
    }

    /// Advances the clock and reports a position on the equator.
    ///
    /// - Parameter metres: east of the meridian.
    func go(
        to metres: Double, accuracy: Double = 5, after seconds: Double = 6
    ) async throws {
        clock.advance(.microseconds(Int64(seconds * 1_000_000)))
        let degrees = metres / (6_378_137 * .pi / 180)
        try await feedSensor(
            """
            {"t": \(clock.now.milliseconds), "latitude": 0, "longitude": \(degrees),
             "accuracy": \(accuracy)}
            """, to: "location")
    }
}
