/// Bounds how much apps write to the host's log.
actor LogMeter {
    /// Texts of one client in a minute.
    static let limit = 60
    private static let minute = Duration.seconds(60)

    private var counts: [String: (start: ContinuousClock.Instant, count: Int)] = [:]

    /// - Returns: whether one more may be written.
    func add(_ client: String, at now: ContinuousClock.Instant) -> Bool {
        counts = counts.filter { now - $0.value.start < Self.minute }
        let (start, count) = counts[client] ?? (now, 0)
        counts[client] = (start, count + 1)
        return count < Self.limit
    }
}
