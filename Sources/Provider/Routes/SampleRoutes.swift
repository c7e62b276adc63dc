import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import Samples
import Tracks
import VM

/// Raw samples, page by page or as a stream, and those that clients publish.
struct SampleRoutes {
    let door: Door
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let places = IntakePlaces()

    func add(to routes: inout RouteTable) {
        routes.on(
            .samples(of: "{sensor}"),
            [.get: samples, .post: publish, .delete: forget])
    }

    func selection(_ request: Request, limit: Int) throws -> SampleSelection {
        try request.refuseParameters(
            besides: ["from", "to", "fields", "order", "limit", "cursor"], repeating: ["where"])
        var order = SampleQuery.Order.ascending
        if let text = request.parameter("order") {
            guard let known = ["asc": SampleQuery.Order.ascending, "desc": .descending][text] else {
                throw Problem.invalidParameter("order", "asc or desc is needed")
            }
            order = known
        }
        let after = try request.parameter("cursor").map { text in
            guard let position = SampleQuery.Position(cursor: text) else {
                throw Problem.invalidParameter("cursor", "take it from the page before, unchanged")
            }
            return position
        }
        return SampleSelection(
            range: try request.range(now: door.now()), order: order,
            fields: try request.list("fields"),
            conditions: try request.conditions(), after: after, limit: limit)
    }
}

extension SampleQuery.Position {
    /// Opaque to callers: time and arrival, so that equal times are neither lost nor repeated.
    var cursor: String { "\(time.microseconds)_\(sequence)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: "_")
        guard parts.count == 2, let time = Int64(parts[0]), let sequence = Int64(parts[1]) else {
            return nil
        }
        self.init(time: Timestamp(microseconds: time), sequence: sequence)
    }
}
