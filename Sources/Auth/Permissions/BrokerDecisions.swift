import Logging
import Scheduling

/// Asks the policy broker about undecided privileges of runs, and stores what it decides.
///
/// Owned by `Authority`; its functions run on that actor.
final class BrokerDecisions {
    /// The maximum number of concurrent questions; the owner is asked about more.
    private static let limit = 32

    private struct Key: Hashable {
        let client: Client
        let privilege: PrivilegeID
    }

    private let permissions: PermissionRegistry
    private let requests: RequestTable
    private let changes: ChangeQueue
    private let time: any TimeSource
    private let logger: Logger
    private var broker: (any PolicyBroker)?
    private var policy = BrokerPolicy()
    /// The questions without an answer yet, and the calls that wait for the same answer.
    private var questions: [Key: [CheckedContinuation<Void, Never>]] = [:]
    /// The fault that was logged last, if there was no usable answer since.
    private var fault: BrokerFault.Code?

    init(
        permissions: PermissionRegistry, requests: RequestTable, changes: ChangeQueue,
        time: any TimeSource, logger: Logger
    ) {
        self.permissions = permissions
        self.requests = requests
        self.changes = changes
        self.time = time
        self.logger = logger
    }

    /// Replaces the broker and what it may allow; answers to earlier questions are bound by the new policy.
    func use(_ broker: (any PolicyBroker)?, within policy: BrokerPolicy) {
        self.broker = broker
        self.policy = policy
        fault = nil
    }

    /// Asks the broker about a privilege that is undecided, and stores its decision for the run.
    ///
    /// - Returns: whether it gave a usable answer, which may leave the decision to the owner.
    @discardableResult
    nonisolated(nonsending) func decide(
        _ privilege: PrivilegeID, for client: Client
    ) async -> Bool {
        // The holder of a narrowed token must not get anything decided for its parent.
        guard let broker, client.run != nil, client.kind != .owner, client.attenuation == nil,
            privilege.isGrantable, permissions.current.canAsk(for: privilege, client)
        else { return false }
        let key = Key(client: client, privilege: privilege)
        guard questions[key] == nil else {
            await withCheckedContinuation { questions[key]?.append($0) }
            return fault == nil
        }
        guard questions.count < Self.limit else { return false }
        questions[key] = []
        defer { questions.removeValue(forKey: key)?.forEach { $0.resume() } }
        let limit = policy.limit(of: privilege, at: time.now())
        do throws(BrokerFault) {
            let answer = try await broker.answer(
                to: BrokerQuestion(privilege, by: client, limit: limit))
            guard self.broker != nil else { return false }
            // The policy may have changed meanwhile.
            let decision = try decision(answer, on: privilege)
            fault = nil
            if let decision { await store(decision, on: privilege, for: client) }
            return true
        } catch {
            report(error)
            return false
        }
    }

    // MARK: - Private

    /// The decision that an answer means; `nil` if it is left to the owner.
    private func decision(
        _ answer: BrokerAnswer, on privilege: PrivilegeID
    ) throws(BrokerFault) -> Decision? {
        switch answer {
        case .ask: return nil
        case .deny: return .denyOnce
        case .allow(let terms):
            guard let limit = policy.limit(of: privilege, at: time.now()) else {
                throw BrokerFault(
                    .notAllowed,
                    "It allowed \(privilege), which policyBroker.allow in config.json does not list."
                )
            }
            guard let left = terms.narrowed(limit) else {
                throw BrokerFault(
                    .notAllowed,
                    "It allowed \(privilege) under terms that cannot be combined with those of"
                        + " policyBroker.allow in config.json.")
            }
            return .allow(left)
        }
    }

    nonisolated(nonsending) private func store(
        _ decision: Decision, on privilege: PrivilegeID, for client: Client
    ) async {
        await changes.enter()
        defer { changes.leave() }
        // The owner may have decided meanwhile.
        guard permissions.current.canAsk(for: privilege, client) else { return }
        do throws(AuthError) {
            try await permissions.decide(
                decision, on: privilege, by: client.name, run: client.run, isAnswer: false,
                among: nil, decider: .broker)
        } catch {
            // The run may have ended meanwhile. The decision of a full disk is left to the owner.
            if error.code != .notFound {
                logger.error("A decision of the policy broker was not stored: \(error.message)")
            }
        }
        requests.answer(from: permissions.current)
    }

    /// Logs a fault, once until there is a usable answer or another fault.
    private func report(_ fault: BrokerFault) {
        guard self.fault != fault.code else { return }
        self.fault = fault.code
        logger.warning("The policy broker decides nothing; you are asked. \(fault.message)")
    }
}
