public import NIOCore

/// How long a connection may take for what, so that slow senders and readers hold nothing up.
public struct ConnectionLimits: Sendable {
    /// From the first byte of a request to the end of its header fields.
    public var header: TimeAmount
    /// How often a body that is read, and an answer that is written, are looked at.
    public var period: TimeAmount
    /// What must have moved within such a period, unless it was the rest.
    public var progress: Int
    /// How long a connection may wait for its next request.
    public var idle: TimeAmount

    /// - Parameters:
    ///   - header: from the first byte of a request to the end of its header fields.
    ///   - period: how often bodies and answers are looked at.
    ///   - progress: bytes that must have moved within a period.
    ///   - idle: how long a connection may wait for its next request.
    public init(
        header: TimeAmount = .seconds(10), period: TimeAmount = .seconds(20),
        progress: Int = 1000, idle: TimeAmount = .seconds(60)
    ) {
        self.header = header
        self.period = period
        self.progress = progress
        self.idle = idle
    }

    /// For those who may wait as long as they like, such as a pager behind a pipe of the owner.
    public static let patient = ConnectionLimits(
        header: .hours(24), period: .hours(24), progress: 0)
}
