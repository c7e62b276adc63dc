import Samples

/// A program of the owner that answers questions about privileges before the owner is asked.
///
/// ```swift
/// struct Cautious: PolicyBroker {
///     func answer(to question: BrokerQuestion) async throws(BrokerFault) -> BrokerAnswer {
///         question.privilege == .storage ? .allow(BrokerTerms()) : .ask
///     }
/// }
/// ```
public protocol PolicyBroker: Sendable {
    /// - Throws: when there is no usable answer; then the owner is asked.
    func answer(to question: BrokerQuestion) async throws(BrokerFault) -> BrokerAnswer
}

/// The question whether a client may use a privilege in its run.
public struct BrokerQuestion: Hashable, Sendable {
    /// The app or program, in a run.
    public let client: Client
    /// What it asks for.
    public let privilege: PrivilegeID
    /// The terms of a grant without limits.
    public let asked: Terms
    /// The most that the owner lets the broker allow; `nil` if it may only deny, or leave it to the owner.
    public let limit: Terms?
}

/// The answer of a policy broker.
public enum BrokerAnswer: Hashable, Sendable {
    /// Allowed for the run, under the terms and those of ``BrokerQuestion/limit`` together.
    case allow(BrokerTerms)
    /// Denied for the run.
    case deny
    /// Left to the owner.
    case ask
}

/// What a policy broker allows of the most that it may allow.
public struct BrokerTerms: Hashable, Sendable {
    /// Limits access, rate, precision, history and expiry.
    let caveat: Caveat?
    /// Whether the grant also holds for a run in the background.
    let background: Bool

    /// Everything that the broker may allow.
    public init() {
        caveat = nil
        background = true
    }

    /// - Parameter caveat: without sensors: a grant is for what the client asked for.
    public init(_ caveat: Caveat, background: Bool = true) {
        self.caveat = caveat
        self.background = background
    }

    /// What these terms leave of others; `nil` if nothing, or if it cannot be stored as a decision.
    func narrowed(_ terms: Terms) -> Terms? {
        guard var left = caveat.map({ terms.narrowed(by: $0) }) ?? terms,
            // A decision has one precision.
            left.furtherPrecisions.isEmpty
        else { return nil }
        left.background = left.background && background
        return left
    }
}

/// Why a policy broker gave no usable answer.
public struct BrokerFault: Error, Hashable, Sendable {
    /// The kinds of fault.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The socket is not one that only this user can use, or another user listens on it.
        case unsafeSocket
        /// Nobody listens on the socket, or the connection failed.
        case unreachable
        /// There was no answer in time.
        case timedOut
        /// The answer is malformed or too large.
        case invalidAnswer
        /// The answer allows what the owner does not let the broker allow.
        case notAllowed
    }

    /// The kind of fault.
    public let code: Code
    /// One sentence.
    public let message: String

    /// - Parameter message: one sentence, with a full stop.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// What the owner lets a policy broker allow.
public struct BrokerPolicy: Hashable, Sendable {
    /// A privilege that a policy broker may allow, and the widest terms.
    public struct Allowance: Hashable, Sendable {
        /// The privilege; for a sensor also every part of it, such as one sensor of a kind.
        public let privilege: PrivilegeID
        private let caveat: Caveat
        private let lifetime: Duration?
        private let background: Bool

        /// - Parameters:
        ///   - maximumRate: samples per second.
        ///   - precision: in the field's unit.
        ///   - lifetime: how long a grant lasts; it ends with its run in any case.
        ///   - background: whether a grant may hold for a run in the background.
        /// - Returns: `nil` if the privilege cannot be granted, or not under such terms.
        public init?(
            _ privilege: PrivilegeID, maximumRate: Double? = nil, precision: Double? = nil,
            history: Duration? = nil, lifetime: Duration? = nil, background: Bool = true
        ) {
            guard privilege.isGrantable, lifetime.map({ $0 > .zero }) ?? true,
                let caveat = Caveat(
                    access: privilege.access, maximumRate: maximumRate, precision: precision,
                    history: history)
            else { return nil }
            let readsSamples = privilege.access.map { $0 != .write } ?? false
            guard readsSamples || maximumRate == nil && precision == nil && history == nil else {
                return nil
            }
            self.privilege = privilege
            self.caveat = caveat
            self.lifetime = lifetime
            self.background = background
        }

        /// The widest terms for a privilege; `nil` if it is not a part of this one.
        fileprivate func limit(of asked: PrivilegeID, at now: Timestamp) -> Terms? {
            let isPart: Bool
            if let sensor = privilege.sensor, let other = asked.sensor {
                isPart = sensor.covers(other)
            } else {
                isPart = privilege == asked
            }
            guard isPart, var left = Terms(askedFor: asked).narrowed(by: caveat) else {
                return nil
            }
            left.expires = lifetime.map { now.advanced(by: $0) }
            left.background = background
            return left
        }
    }

    /// In the order of the owner; the first that includes a privilege applies to it.
    public let allowances: [Allowance]

    /// - Parameter allowances: empty if the broker may only deny.
    public init(_ allowances: [Allowance] = []) {
        self.allowances = allowances
    }

    /// The most that the broker may allow of a privilege; `nil` for nothing.
    func limit(of asked: PrivilegeID, at now: Timestamp) -> Terms? {
        allowances.lazy.compactMap { $0.limit(of: asked, at: now) }.first
    }
}

extension Terms {
    /// The terms of a grant of all that a client asks for.
    fileprivate init(askedFor privilege: PrivilegeID) {
        self.init(access: privilege.access ?? .raw)
    }
}

extension BrokerQuestion {
    init(_ privilege: PrivilegeID, by client: Client, limit: Terms?) {
        self.init(
            client: client, privilege: privilege, asked: Terms(askedFor: privilege), limit: limit)
    }
}
