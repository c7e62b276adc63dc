public import Scheduling

/// How many calls a client may make.
public struct CallLimits: Hashable, Sendable {
    /// Calls in progress at the same time.
    public var concurrent: Int
    /// Calls within any minute.
    public var perMinute: Int
    /// Event streams, and as many WebSockets, at the same time.
    public static let streams = 4

    /// Creates limits.
    public init(concurrent: Int = 4, perMinute: Int = 120) {
        self.concurrent = concurrent
        self.perMinute = perMinute
    }
}

/// Limits the calls of each client to other servers, per minute and at the same time.
///
/// ```swift
/// let response = try await limiter.withCall(of: "load-watch", CallLimits()) { _ in
///     try await client.send(request) { try await $0.perform(pin: nil) }
/// }
/// ```
public actor CallLimiter {
    /// Calls of all clients in progress at the same time.
    private static let limit = 16
    /// Event streams and WebSockets of all clients at the same time.
    private static let streamLimit = 64
    private static let minute = Duration.seconds(60)

    /// What lasts longer than a call and therefore has a limit of its own.
    public enum Stream: Hashable, Sendable {
        /// A response that is a stream of events.
        case events
        /// A WebSocket.
        case webSocket

        fileprivate var name: String {
            switch self {
            case .events: "event streams"
            case .webSocket: "WebSockets"
            }
        }
    }

    /// A call in progress.
    public struct Call: Sendable {
        fileprivate let limiter: CallLimiter
        fileprivate let id: UInt64

        /// Counts this call as a stream from now on, and no longer as a call.
        ///
        /// - Throws: `tooManyCalls` if the client has ``CallLimits/streams`` of them.
        public func become(_ stream: Stream) async throws(EgressError) {
            try await limiter.turn(id, into: stream)
        }
    }

    private struct Calls {
        var limiter: RateLimiter<ContinuousClock.Instant>
        var running = 0
        var streams: [Stream: Int] = [:]

        var isIdle: Bool { running == 0 && streams.isEmpty }
    }

    private let time: any TimeSource
    private var calls: [String: Calls] = [:]
    private var running = 0
    /// The open calls, and which streams they have become.
    private var open: [UInt64: (client: String, stream: Stream?)] = [:]
    private var lastID: UInt64 = 0

    /// Creates a limiter without calls.
    public init(time: any TimeSource = .system) {
        self.time = time
    }

    /// Performs a call of a client.
    ///
    /// - Throws: `tooManyCalls`, or what `body` throws.
    public nonisolated func withCall<T: Sendable>(
        of client: String, _ limits: CallLimits, _ body: (Call) async throws -> T
    ) async throws -> T {
        let id = try await begin(client, limits)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(Call(limiter: self, id: id)))
        } catch {
            result = .failure(error)
        }
        await end(id)
        return try result.get()
    }

    func begin(_ client: String, _ limits: CallLimits) throws(EgressError) -> UInt64 {
        let now = time.instant()
        calls = calls.filter { !$0.value.isIdle || !$0.value.limiter.isIdle(at: now) }
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
        lastID += 1
        open[lastID] = (client, nil)
        return lastID
    }

    func turn(_ id: UInt64, into stream: Stream) throws(EgressError) {
        guard let (client, earlier) = open[id], earlier == nil else { return }
        let count = calls[client]?.streams[stream] ?? 0
        guard count < CallLimits.streams else {
            throw EgressError(
                .tooManyCalls,
                "\(client) has \(count) \(stream.name) of other servers open, its limit.",
                hint: "Close one of them first.", retryAfter: .seconds(1))
        }
        guard open.values.count(where: { $0.stream != nil }) < Self.streamLimit else {
            throw EgressError(
                .tooManyCalls, "Too many streams of other servers are open.",
                retryAfter: .seconds(1))
        }
        endCall(of: client)
        calls[client]?.streams[stream] = count + 1
        open[id] = (client, stream)
    }

    func end(_ id: UInt64) {
        guard let (client, stream) = open.removeValue(forKey: id) else { return }
        guard let stream else { return endCall(of: client) }
        let left = (calls[client]?.streams[stream] ?? 0) - 1
        calls[client]?.streams[stream] = left > 0 ? left : nil
    }

    private func endCall(of client: String) {
        calls[client]?.running -= 1
        running -= 1
    }
}
