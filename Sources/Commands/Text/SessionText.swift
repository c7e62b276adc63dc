import API
import Auth
import Foundation
import Host
import Sessions
import Text
import Tracks

extension SessionDescription {
    /// The state: `active`, `paused`, `finished` or `not started`.
    var stateText: String {
        if finished { return "finished" }
        return state == SessionState.inactive.rawValue ? "not started" : state
    }

    /// The active time, such as `12 min 3 secs`.
    var activeTime: String {
        // Overflows only after centuries.
        ElapsedText(.milliseconds(Int64(exactly: elapsed.rounded()) ?? 0)).description
    }

    /// The row in a table.
    var row: [String] {
        [id, stateText, spans.first.map { Format.time($0.from) } ?? "–", activeTime, name]
    }

    /// Whether the session can have a route, by the named sensor or, for `nil`, by any of its sensors.
    func hasRoute(by sensor: String?) -> Bool {
        func isLocation(_ name: String) -> Bool { name.prefix { $0 != "." } == "location" }
        if let sensor { return isLocation(sensor) }
        return imported == true || distance != nil || sensors.contains(where: isLocation)
    }

    /// The session as text.
    ///
    /// - Parameter route: its route, if it has one.
    func lines(_ route: RouteSummary?) -> [String] {
        var lines = [
            "\(name.escapedForDisplay(limit: 400)) (\(id))", "  state    \(stateText)",
            "  active   \(activeTime)",
            "  sensors  \(sensors.joined(separator: ", "))",
        ]
        if let app { lines.append("  app      \(app.escapedForDisplay(limit: 64))") }
        lines += spans.map { span in
            "  interval \(Format.time(span.from)) to \(span.to.map(Format.time) ?? "now")"
        }
        if let route {
            lines.append("  route    \(route.text)")
        }
        if !description.isEmpty {
            lines.append("  notes    \(description.escapedForDisplay(limit: 8000))")
        }
        return lines
    }
}

/// The members of a route other than its points.
struct RouteSummary: Decodable {
    /// In metres.
    let distance: Double
    let distanceSource: RouteRecord.Source
    let warnings: [RouteRecord.Warning]

    /// - Returns: `nil` if the session has no route.
    static func ofSession(_ id: String, _ session: HostSession) async throws -> RouteSummary? {
        do {
            return try JSONDecoder().decode(
                RouteSummary.self, from: try await session.client.route(ofSession: id))
        } catch let error as APIError
            where [.notFound, .unknownSensor, .unknownField].contains(error.code)
        {
            return nil
        }
    }

    var text: String {
        let source = distanceSource == .manual ? ", entered by hand" : ""
        let notes = warnings.map { warning in
            switch warning {
            case .jump: "; points more than 200 m apart"
            case .signalLost: "; no signal for more than 30 s"
            }
        }
        return Format.value(distance.rounded(), unit: "m") + source + notes.joined()
    }
}
