import Samples

/// The calls of one kind within one minute: the first has a line at once, the rest are counted.
struct AccessTally {
    /// What makes two calls alike.
    struct Key: Hashable {
        let kind: AccessLogEntry.Kind
        let client: String?
        let privilege: String?
        let sensor: SensorID?
        let access: Access?
        let operation: String?
        let detail: String?

        init(_ entry: AccessLogEntry) {
            kind = entry.kind
            client = entry.client
            privilege = entry.privilege
            sensor = entry.sensor
            access = entry.access
            operation = entry.operation
            detail = entry.detail
        }
    }

    /// The place of the first call's line; `nil` until it is in the file.
    var firstID: Int64?
    /// The calls after the first as one line; `nil` when there are none.
    private(set) var rest: AccessLogEntry?

    mutating func add(_ entry: AccessLogEntry) {
        rest = rest?.joined(with: entry) ?? entry
    }
}
