import RunnerProtocol

/// What an app may hand to the host at once.
enum Limits {
    /// UTF-8 bytes of a console line, a message or a stack trace.
    static let text = FrameLimits.text
    /// Requests without a complete answer.
    static let requests = 64
    /// Bytes of a request's body.
    static let body = FrameLimits.body
    /// Bytes of a request's address.
    static let target = FrameLimits.target
    /// Bytes of random numbers in one call.
    static let random = 64 << 10
}
