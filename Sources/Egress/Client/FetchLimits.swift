/// What a call to another server may take, and how many a client may make.
public struct FetchLimits: Hashable, Sendable {
    /// To reach one address.
    public var connecting = Duration.seconds(5)
    /// In all, with every redirect.
    public var total = Duration.seconds(30)
    /// Bytes of the body that is sent.
    public var requestBytes = 1 << 20
    /// Bytes of the body that comes; one that is longer is an error and is not cut.
    public var answerBytes = 10 << 20
    /// Calls that may be under way at once.
    public var atOnce = 4
    public var perMinute = 120

    public init() {}
}
