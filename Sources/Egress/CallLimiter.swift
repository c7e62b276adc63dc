public import Scheduling

/// How many calls a client may make.
public struct CallLimits: Hashable, Sendable {
    /// Calls in progress at the same time.
    public var concurrent: Int
    /// Calls within any minute.
    public var perMinute: Int

    /// Creates limits.
    public init(concurrent: Int = 4, perMinute: Int = 120) {
        self.concurrent = concurrent
        self.perMinute = perMinute
    }
}

/// Limits the calls of each client to other servers, per minute and at the same time.
///
/// ```swift
/// let response = try await limiter.withCall(of: "load-watch", CallLimits()) {
///     try await client.send(request) { try await $0.perform(pin: nil) }
/// }
/// ```
public actor CallLimiter {
    /// Calls of all clients in progress at the same time.
    private static let limit = 16
    private static let minute = Duration.seconds(60)

    private struct Calls {
        var limiter: RateLimiter<ContinuousClock.Instant>
        var running = 0
    }

    private let time: any TimeSource
    private var calls: [String: Calls] = [:]
    private var running = 0

    /// Creates a limiter without calls.
    public init(time: any TimeSource = .system) {
        self.time = time
    }

    /// Performs a call of a client.
    ///
    /// - Throws: `tooManyCalls`, or what `body` throws.
    public nonisolated func withCall<T: Sendable>(
        of client: String, _ limits: CallLimits, _ body: () async throws -> T
    ) async throws -> T {
        try await begin(client, limits)
        let result: Result<T, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await end(client)
        return try result.get()
    }

    func begin(_ client: String, _ limits: CallLimits) throws(EgressError) {
        let now = time.instant()
        calls = calls.filter { $0.value.running > 0 || !$0.value.limiter.isIdle(at: now) }
        var own = calls[client] ?? Calls(limiter: RateLimiter(limits.perMinute, per: Self.minute))
        if own.limiter.limit != limits.perMinute {
            own.limiter = RateLimiter(limits.perMinute, per: Self.minute)
        }
        guard own.running < limits.concurrent else {
            throw EgressError(
                .tooManyCalls,
                "\(client) has \(limits.concurrent) calls to other servers in progress, its limit.",
                retryAfter: .seconds(1))
        }
        guard running < Self.limit else {
            throw EgressError(
                .tooManyCalls, "Too many calls to other servers are in progress.",
                retryAfter: .seconds(1))
        }
        if let wait = own.limiter.admit(at: now) {
            throw EgressError(
                .tooManyCalls,
                "\(client) made \(limits.perMinute) calls to other servers within a minute, its limit.",
                retryAfter: wait)
        }
        own.running += 1
        running += 1
        calls[client] = own
    }

    func end(_ client: String) {
        calls[client]?.running -= 1
        running -= 1
    }
}
