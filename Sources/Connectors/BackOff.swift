/// How long to wait between two tries to connect: twice as long each time, with some chance.
struct BackOff: Sendable {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)

    private var next = first

    /// The time until the next try, from 80 % to 120 % of what is due, so that not all sources of one
    /// server come back at once.
    mutating func wait() -> Duration {
        let due = next
        next = min(next * 2, Self.longest)
        return due * Double.random(in: 0.8...1.2)
    }

    /// After a connection that was of use.
    mutating func reset() {
        next = Self.first
    }
}
