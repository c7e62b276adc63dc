import Samples

/// The samples of a sensor that one client publishes, or that are the host's.
struct PublisherUsage: Sendable {
    /// The client; empty for the host, which has what it collects, imports and stored before clients were
    /// recorded.
    let publisher: String
    /// The sensor, with the layouts and the usage of this publisher only.
    var sensor: StoredSensor
    /// The last sequence number among its samples; 0 if it cannot be read.
    var lastArrival: Int64 = 0
    /// Bytes of rows that are not in chunks.
    var unsealed: Int64 = 0

    var total: Int64 { sensor.usage.total + unsealed }
}

/// Decides whose samples are pruned when the store exceeds its budget.
///
/// Each client that publishes has a share of the budget. What a client uses beyond its share is
/// pruned before anything of the host or of a client within its share. Of several clients beyond
/// their shares, the one that has recently written most is first, so that a client which only keeps
/// its samples loses none to one that floods.
struct ClientShares: Sendable {
    /// Samples that may be pruned.
    struct Candidate: Sendable {
        let usage: PublisherUsage
        /// Whether its client uses more than its share; then all of its samples but the newest may
        /// be pruned.
        let isBeyondShare: Bool
    }

    /// The divisor of the budget that gives the largest share of a client: a quarter.
    private static let largestShare = 4

    /// The divisor of the budget that gives the bytes that count as written recently: an eighth.
    private static let recentPart = 8
    /// Bytes written recently, by layout; all are halved whenever their sum exceeds that part of
    /// the budget.
    private var written: [Int64: Int64] = [:]

    /// The bytes that each client may use before its samples are pruned first: a quarter of the store's, or less
    /// where more than two clients have samples, so that all shares together are at most a half.
    static func share(of limit: Int64, clients: Int) -> Int64 {
        limit / Int64(max(largestShare, 2 * clients))
    }

    /// Accounts for written samples.
    ///
    /// - Parameter limit: the bytes that the store may use.
    mutating func add(_ sizes: [Int64: UnsealedSize], limit: Int64) {
        for (layout, size) in sizes { written[layout, default: 0] += Int64(size.bytes) }
        guard written.values.reduce(0, +) > limit / Int64(Self.recentPart) else { return }
        written = written.mapValues { $0 / 2 }.filter { $0.value > 0 }
    }

    /// All, in the order in which they are pruned.
    ///
    /// - Parameter limit: the bytes that the store may use.
    func order(_ usages: [PublisherUsage], limit: Int64) -> [Candidate] {
        let largest = usages.sorted { left, right in
            left.total == right.total
                ? (left.sensor.row, left.publisher) < (right.sensor.row, right.publisher)
                : left.total > right.total
        }
        let clients = Self.byClient(largest)
        let share = Self.share(of: limit, clients: clients.count)
        let beyond = clients.filter { Self.total($0.value) > share }
        let first = beyond.sorted { left, right in
            rank(left.value, left.key) > rank(right.value, right.key)
        }
        return first.flatMap(\.value).map { Candidate(usage: $0, isBeyondShare: true) }
            + largest.filter { $0.publisher.isEmpty }
            .map { Candidate(usage: $0, isBeyondShare: false) }
            + largest.filter { !$0.publisher.isEmpty && beyond[$0.publisher] == nil }
            .map { Candidate(usage: $0, isBeyondShare: false) }
    }

    /// The storage of each client, sorted by name.
    ///
    /// - Parameter limit: the bytes that the store may use.
    static func report(_ usages: [PublisherUsage], limit: Int64) -> [ClientStorage] {
        let clients = byClient(usages)
        let share = share(of: limit, clients: clients.count)
        return clients.map { ClientStorage(client: $0, bytes: total($1), share: share) }
            .sorted { $0.client < $1.client }
    }

    /// The usages of the clients that have samples.
    private static func byClient(_ usages: [PublisherUsage]) -> [String: [PublisherUsage]] {
        Dictionary(grouping: usages) { $0.publisher }
            .filter { !$0.key.isEmpty && total($0.value) > 0 }
    }

    private static func total(_ usages: [PublisherUsage]) -> Int64 {
        usages.reduce(0) { $0 + $1.total }
    }

    /// After a restart, clients are ranked by their last sequence number until they write again.
    private func rank(_ usages: [PublisherUsage], _ client: String) -> (Int64, Int64, String) {
        let bytes = usages.flatMap { $0.sensor.layouts }.reduce(0) { $0 + (written[$1.id] ?? 0) }
        return (bytes, usages.map(\.lastArrival).max() ?? 0, client)
    }
}
