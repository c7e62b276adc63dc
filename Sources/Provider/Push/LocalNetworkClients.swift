import API
import Addresses
import Auth
import Foundation
import HTTPTypes
import NIOCore
import Scheduling

/// Decides who may push from the local network, and limits the failed attempts of each address.
///
/// Only tokens of the owner's programs are accepted: an owner's token grants everything, and
/// apps have no need to push, because they run on this machine.
actor LocalNetworkClients {
    /// The failed attempts that an address may make within a minute; after one more it is refused.
    private static let attemptLimit = 5
    /// The maximum number of addresses with a limit of their own; further addresses share one limit.
    private static let maximumSenders = 256

    /// Where attempts come from.
    private enum Sender: Hashable {
        case v4(UInt32)
        /// The network, the first 64 bits: a device has any number of addresses in it.
        case v6(UInt64)
        case other
    }

    private struct Failures {
        var limiter = RateLimiter<ContinuousClock.Instant>(attemptLimit, per: .seconds(60))
        /// When the next attempt is allowed.
        var refusedUntil: ContinuousClock.Instant?
    }

    private let time: any TimeSource
    private var failures: [Sender: Failures] = [:]

    init(time: any TimeSource) {
        self.time = time
    }

    /// The client of a request.
    ///
    /// - Parameters:
    ///   - address: where the request comes from.
    ///   - identify: identifies the client by its token.
    /// - Throws: `Problem` for an address with too many failed attempts, whose token is not checked,
    ///   and for the token of the owner or of an app; the error of `identify`.
    func admit(
        _ address: SocketAddress?, identify: @Sendable () async throws(AuthError) -> Client
    ) async throws -> Client {
        try checkLimit(of: address)
        let client: Client
        do throws(AuthError) {
            client = try await identify()
        } catch {
            try checkLimit(of: address)
            noteFailure(of: address)
            throw error
        }
        // Other requests of the address may have exceeded the limit meanwhile: without this check, a
        // sender could try any number of tokens at once.
        try checkLimit(of: address)
        guard client.kind == .client else {
            noteFailure(of: address)
            throw Problem(
                .denied, "This token is not accepted from the local network.",
                fix: "Ask the owner for a token for the phone.")
        }
        return client
    }

    private func checkLimit(of address: SocketAddress?) throws(Problem) {
        let now = time.instant()
        guard let end = failures[limiterKey(for: Self.sender(address))]?.refusedUntil, now < end
        else { return }
        throw Self.tooManyAttempts(now.duration(to: end))
    }

    /// The sender itself, or `other` if there are too many.
    private func limiterKey(for sender: Sender) -> Sender {
        guard failures[sender] == nil, failures.count >= Self.maximumSenders else { return sender }
        let now = time.instant()
        failures = failures.filter { _, failures in !failures.limiter.isIdle(at: now) }
        return failures.count < Self.maximumSenders ? sender : .other
    }

    private func noteFailure(of address: SocketAddress?) {
        let (sender, now) = (limiterKey(for: Self.sender(address)), time.instant())
        let wait = failures[sender, default: Failures()].limiter.admit(at: now)
        failures[sender]?.refusedUntil = wait.map { now.advanced(by: $0) }
    }

    private static func sender(_ address: SocketAddress?) -> Sender {
        switch address?.ip {
        case .v4(let value): .v4(value)
        case .v6(let value): .v6(UInt64(truncatingIfNeeded: value >> 64))
        case nil: .other
        }
    }

    private static func tooManyAttempts(_ wait: Duration) -> Problem {
        Problem(
            .tooManyAttempts,
            "More than \(attemptLimit) invalid tokens were sent from this address within a minute.",
            fix: "Wait, then use a valid token.",
            headers: [.retryAfter: Problem.wholeSeconds(wait)])
    }
}
