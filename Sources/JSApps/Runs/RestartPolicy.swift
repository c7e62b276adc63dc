/// When an app that failed in the background is started again, and when no more.
public struct RestartPolicy: Hashable, Sendable {
    /// The wait after the first failure; each further one doubles it.
    public var first = Duration.seconds(1)
    public var longest = Duration.seconds(60)
    /// After so many failures within `window` it is left alone.
    public var failures = 5
    public var window = Duration.seconds(600)

    public init() {}

    /// - Parameter failures: when it failed, the last one included.
    /// - Returns: how long to wait; `nil` to give up.
    func wait(after failures: [ContinuousClock.Instant]) -> Duration? {
        guard let last = failures.last else { return first }
        let recent = failures.filter { last - $0 < window }.count
        guard recent < self.failures else { return nil }
        return min(longest, first * (1 << min(20, recent - 1)))
    }
}
