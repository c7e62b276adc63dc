import Samples

/// The batches of the last 24 hours by their keys, as many of each client as there is room for.
///
/// The oldest of a client go first, so that no client can make another's be forgotten.
struct BatchKeyTable {
    static let lifetime: Int64 = 24 * 3_600_000_000
    static let mostPerClient = 10_000

    struct Entry {
        let digest: [UInt8]
        let storing: Task<Result<BatchReceipt, VirtualMachineError>, Never>
        /// Microseconds since 1970.
        let noted: Int64
    }

    private struct Name: Hashable {
        let sensor: SensorID
        let key: String
    }

    /// The entries of one client, and their names in the order of coming.
    private struct Share {
        var entries: [Name: Entry] = [:]
        var order: [(name: Name, noted: Int64)] = []
        var first = 0

        /// Forgets what is too old, or too much.
        mutating func trim(at time: Int64, most: Int) {
            while first < order.count {
                let oldest = order[first]
                guard oldest.noted + lifetime <= time || entries.count > most else { break }
                if entries[oldest.name]?.noted == oldest.noted { entries[oldest.name] = nil }
                first += 1
            }
            if first > 1024, first * 2 > order.count {
                order.removeFirst(first)
                first = 0
            }
        }
    }

    private var shares: [String: Share] = [:]

    mutating func find(_ key: BatchKey, of sensor: SensorID, at time: Timestamp) -> Entry? {
        shares[key.client]?.trim(at: time.microseconds, most: Self.mostPerClient)
        return shares[key.client]?.entries[Name(sensor: sensor, key: key.name)]
    }

    mutating func note(
        _ key: BatchKey, of sensor: SensorID,
        _ storing: Task<Result<BatchReceipt, VirtualMachineError>, Never>, at time: Timestamp
    ) {
        let name = Name(sensor: sensor, key: key.name)
        shares[key.client, default: Share()].entries[name] = Entry(
            digest: key.digest, storing: storing, noted: time.microseconds)
        shares[key.client]?.order.append((name, time.microseconds))
        shares[key.client]?.trim(at: time.microseconds, most: Self.mostPerClient)
    }

    mutating func forget(_ key: BatchKey, of sensor: SensorID) {
        shares[key.client]?.entries[Name(sensor: sensor, key: key.name)] = nil
    }
}
