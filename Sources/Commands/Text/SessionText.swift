import Auth
import Foundation
import Host
import API
import Sessions
import Text
import Tracks

extension SessionDescription {
    /// As in a sentence: `active`, `finished`, `not started`.
    var standing: String {
        if finished { return "finished" }
        return state == SessionState.inactive.rawValue ? "not started" : state
    }

    /// How long it was active, such as `12 min 3 secs`.
    var activeTime: String {
        // Milliseconds of centuries fit.
        ElapsedText(.milliseconds(Int64(exactly: elapsed.rounded()) ?? 0)).description
    }

    /// Its row in a list.
    var row: [String] {
        [id, standing, spans.first.map { Format.time($0.from) } ?? "–", activeTime, name]
    }

    /// All of it, for a person.
    ///
    /// - Parameter route: of a session that has one.
    func lines(_ route: RouteSummary?) -> [String] {
        var lines = [
            "\(name.escapedForDisplay(limit: 400)) (\(id))", "  state    \(standing)",
            "  active   \(activeTime)",
            "  sensors  \(sensors.joined(separator: ", "))",
        ]
        lines += spans.map { span in
            "  span     \(Format.time(span.from)) to \(span.to.map(Format.time) ?? "now")"
        }
        if let route {
            lines.append("  route    \(route.text)")
        }
        if !description.isEmpty {
            lines.append("  words    \(description.escapedForDisplay(limit: 8000))")
        }
        return lines
    }
}

/// What a route says of itself beside its points.
struct RouteSummary: Decodable {
    /// In metres.
    let distance: Double
    let distanceSource: RouteRecord.Source
    let warnings: [RouteRecord.Warning]

    /// - Returns: `nil` of a session that can have no route.
    static func found(of id: String, _ session: HostSession) async throws -> RouteSummary? {
        do {
            return try JSONDecoder().decode(
                RouteSummary.self,
                from: try await session.client.data(
                    .get, SessionsCommand.path(id, "/route"), isPatient: true))
        } catch let failure as CommandFailure
            where ["not-found", "unknown-sensor", "unknown-field"].contains(failure.type)
        {
            return nil
        }
    }

    var text: String {
        let source = distanceSource == .manual ? ", entered by hand" : ""
        let told = warnings.map { warning in
            switch warning {
            case .jump: "; points more than 200 m apart"
            case .signalLost: "; no signal for more than 30 s"
            }
        }
        return Format.value(distance.rounded(), unit: "m") + source + told.joined()
    }
}
