/// When a background run is restarted after a failure, and after how many failures it is not.
public struct RestartPolicy: Hashable, Sendable {
    /// The wait after the first failure; each further one doubles it.
    public var first = Duration.seconds(1)
    /// The longest wait.
    public var longest = Duration.seconds(60)
    /// The number of failures within `window` after which a run is not restarted.
    public var failures = 5
    /// The interval in which failures are counted.
    public var window = Duration.seconds(600)

    /// The default policy.
    public init() {}

    /// - Parameter failures: the times of the failures, including the last.
    /// - Returns: how long to wait; `nil` to give up.
    func wait(after failures: [ContinuousClock.Instant]) -> Duration? {
        guard let last = failures.last else { return first }
        let recent = failures.filter { last - $0 < window }.count
        guard recent < self.failures else { return nil }
        return min(longest, first * (1 << min(20, recent - 1)))
    }
}
