import Ingest

/// Says, as InfluxDB does, that not all lines of a body are kept: a problem whose `message` is what its
/// clients of the second generation show, and `error` those of the first.
struct PartialWrite: Encodable {
    struct Line: Encodable {
        let line: Int
        let reason: String
    }

    let type = "urn:nervous:problem:partial-write"
    let title = "Not all lines are kept"
    let status = 400
    let code = "partial-write"
    let detail: String
    let message: String
    let error: String
    /// How many samples are stored.
    let accepted: Int
    /// How many lines are not.
    let dropped: Int
    /// The first of them.
    let lines: [Line]

    init(_ delivery: PushDelivery) {
        accepted = delivery.accepted
        dropped = delivery.faultCount
        lines = delivery.faults.sorted { $0.line < $1.line }.map {
            Line(line: $0.line, reason: $0.message)
        }
        let first = lines.first.map { "line \($0.line): \($0.reason)" } ?? ""
        let text = "partial write: \(first) dropped=\(dropped)"
        (detail, message, error) = (text, text, text)
    }
}
