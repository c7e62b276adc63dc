import Foundation
import Tracks

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
