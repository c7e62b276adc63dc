/// How much an app may use of other servers, in all its runs and pages together.
public struct FetchBudget: Hashable, Sendable {
    /// Of one call, with every redirect.
    public var duration = Duration.seconds(30)
    public var callsPerMinute = 120
    /// Calls that may be under way at once.
    public var callsAtOnce = 4
    /// Bytes of the body that is sent.
    public var requestBytes = 1 << 20
    /// Bytes of the body that comes.
    public var answerBytes = 10 << 20

    public init() {}
}
