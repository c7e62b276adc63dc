/// Carries something to a server, once.
public protocol Courier: Sendable {
    /// Brings it, and waits a minute for an answer at most.
    ///
    /// - Parameters:
    ///   - id: the same whenever the same thing is brought, for a server that wants it once only.
    ///   - token: what the server asks for, if anything.
    func bring(_ parcel: Parcel, id: String, token: String?) async -> Reply
}

/// What came of bringing something to a server.
public enum Reply: Hashable, Sendable {
    /// A status of HTTP.
    case answered(Int)
    /// Why there was no answer, one sentence.
    case failed(String)
}
