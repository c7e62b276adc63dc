import Auth
import Samples

/// Which clients use a device, as those of the published web server of a home do: they connect, read, and
/// disconnect.
///
/// A lease ends when its client disconnects, and when the client has not called for ``length``, because
/// clients vanish. What the client read last is kept for ``memory`` after that.
///
/// ```swift
/// var leases = DeviceLeases<String>()
/// leases.acquire("door.front", by: client, at: .now)
/// leases.holders(of: "door.front", at: .now)  // 1
/// ```
struct DeviceLeases<State: Sendable>: Sendable {
    /// How long a lease lasts after the last call of its client.
    static var length: Duration { .seconds(60) }
    /// How long it is remembered what a client read last.
    static var memory: Duration { .seconds(3600) }

    private struct Key: Hashable {
        let sensor: SensorID
        let kind: Client.Kind
        let name: String
        let run: String?
    }

    private struct Lease {
        /// When the lease ends or has ended.
        var end: ContinuousClock.Instant
        var state: State?
    }

    private var leases: [Key: Lease] = [:]

    /// Takes a lease, or extends it.
    mutating func acquire(
        _ sensor: SensorID, by client: Client, at now: ContinuousClock.Instant
    ) {
        leases = leases.filter { now < $0.value.end.advanced(by: Self.memory) }
        leases[key(sensor, client), default: Lease(end: now)].end = now.advanced(by: Self.length)
    }

    /// Records what the client has read, which extends its lease.
    ///
    /// - Returns: `false` if it has no lease; nothing is recorded then.
    mutating func record(
        _ state: State, of sensor: SensorID, by client: Client, at now: ContinuousClock.Instant
    ) -> Bool {
        guard holds(sensor, client, at: now) else { return false }
        leases[key(sensor, client)] = Lease(end: now.advanced(by: Self.length), state: state)
        return true
    }

    /// Ends the lease of a client.
    ///
    /// The leases of others are unaffected; without a lease nothing happens.
    mutating func release(
        _ sensor: SensorID, by client: Client, at now: ContinuousClock.Instant
    ) {
        guard holds(sensor, client, at: now) else { return }
        leases[key(sensor, client)]?.end = now
    }

    /// Whether a client has a lease.
    func holds(
        _ sensor: SensorID, _ client: Client, at now: ContinuousClock.Instant
    ) -> Bool {
        leases[key(sensor, client)].map { now < $0.end } ?? false
    }

    /// What a client read last; `nil` if it has not read anything, or too long ago.
    func state(
        of sensor: SensorID, for client: Client, at now: ContinuousClock.Instant
    ) -> State? {
        guard let lease = leases[key(sensor, client)],
            now < lease.end.advanced(by: Self.memory)
        else { return nil }
        return lease.state
    }

    /// The number of clients with a lease.
    func holders(of sensor: SensorID, at now: ContinuousClock.Instant) -> Int {
        leases.count { $0.key.sensor == sensor && now < $0.value.end }
    }

    private func key(_ sensor: SensorID, _ client: Client) -> Key {
        Key(sensor: sensor, kind: client.kind, name: client.name, run: client.run)
    }
}
