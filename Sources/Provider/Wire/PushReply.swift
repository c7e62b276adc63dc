import Ingest
import Samples

/// What became of the readings of a push.
struct PushReply: Encodable {
    struct Kept: Encodable {
        let sensor: String
        let accepted: Int
    }

    struct Refused: Encodable {
        let sensor: String
        let readings: Int
        let code: String
        let detail: String
    }

    /// How many samples are stored.
    let accepted: Int
    let sensors: [Kept]
    let refused: [Refused]
    /// How many readings were left out, by reason.
    let dropped: [String: Int]

    init(_ delivery: PushDelivery) {
        accepted = delivery.accepted
        sensors = delivery.kept.map { Kept(sensor: $0.sensor.description, accepted: $0.count) }
        refused = delivery.refused.map {
            Refused(
                sensor: $0.sensor.description, readings: $0.readings, code: $0.problem.code,
                detail: $0.problem.detail)
        }
        dropped = Dictionary(
            uniqueKeysWithValues: delivery.dropped.map { ($0.key.rawValue, $0.value) })
    }
}
