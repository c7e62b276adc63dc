import API
import Foundation
import HTTPTypes
import Hummingbird
import Samples
import Scheduling
import Sealing

/// The lock of the owner's key, for the owner.
struct LockRoutes {
    let authorizer: RequestAuthorizer
    let lock: OwnerLock

    func add(to routes: inout RouteTable) {
        routes.on(.lock, [.get: state, .post: lockNow, .patch: setLease])
        routes.on(.lockSetup, [.post: setUp])
        routes.on(.unlock, [.post: unlock])
        routes.on(.passphrase, [.put: setPassphrase])
    }

    @Sendable
    private func state(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("lock-state", request, context)
        return try .json(LockDescription(lock))
    }

    @Sendable
    private func lockNow(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("lock", request, context)
        lock.lock()
        return try .json(LockDescription(lock))
    }

    @Sendable
    private func setLease(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-lease", request, context)
        let body = try await request.json(LeaseRequest.self)
        guard let lease = Duration(span: body.lease),
            OwnerKeyFile.leases.contains(Int(lease.components.seconds))
        else {
            throw Problem.invalidBody("lease must be a duration from 10s to 24h.")
        }
        try lock.setLease(seconds: Int(lease.components.seconds))
        return try .json(LockDescription(lock))
    }

    @Sendable
    private func setUp(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-up-lock", request, context)
        let body = try await request.json(LockSetupRequest.self)
        let recovery = try body.recovery.map { text in
            guard let recipient = AgeRecipient(text) else {
                throw Problem(
                    .unsuitableKey, "recovery is not an X25519 recipient of age, age1….",
                    fix: "Make one with: age-keygen")
            }
            return recipient
        }
        try await lock.setUp(
            Passphrase(body.passphrase),
            .init(recovery: recovery, usesCredential: body.credential ?? false))
        return try .json(LockDescription(lock), status: .created)
    }

    @Sendable
    private func unlock(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("unlock", request, context)
        let body = try await request.json(UnlockRequest.self)
        guard body.newPassphrase == nil else {
            throw Problem.invalidBody("newPassphrase is for the passphrase only.")
        }
        try await lock.unlock(with: try method(body))
        return try .json(LockDescription(lock))
    }

    @Sendable
    private func setPassphrase(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("set-passphrase", request, context)
        let body = try await request.json(UnlockRequest.self)
        guard let next = body.newPassphrase else {
            throw Problem.invalidBody("newPassphrase is required.")
        }
        try await lock.change(to: Passphrase(next), provedBy: try method(body))
        return try .json(LockDescription(lock))
    }

    private func method(_ body: UnlockRequest) throws -> OwnerLock.Method {
        switch (body.passphrase, body.credential, body.recovered) {
        case (let text?, nil, nil): .passphrase(try Passphrase(text))
        case (nil, true, nil): .credential
        case (nil, nil, let line?): .recovered(line)
        default:
            throw Problem.invalidBody(
                "Exactly one of passphrase, credential and recovered is required.")
        }
    }
}

extension LockDescription {
    fileprivate init(_ lock: OwnerLock) {
        let status = lock.status
        var methods: [String] = []
        if status.state != .none {
            methods.append("passphrase")
            if status.usesCredential, status.hasCredential { methods.append("credential") }
            if status.recovery != nil { methods.append("recovery") }
        }
        self.init(
            state: status.state.rawValue, fingerprint: status.fingerprint, methods: methods,
            recovery: status.recovery?.description, recoveryFile: lock.recoveryPath,
            lease: status.lease.map { $0 / .seconds(1) },
            left: status.left.map { $0 / .seconds(1) }, wrongAttempts: status.wrongAttempts,
            wait: status.wait.map { $0 / .seconds(1) })
    }
}

extension ProblemCode {
    init(_ code: SealingError.Code) {
        self =
            switch code {
            case .locked: .locked
            case .notSetUp: .lockNotSetUp
            case .alreadySetUp: .conflict
            case .unsuitablePassphrase, .invalidRecovery: .unsuitableKey
            case .invalidSecret: .invalidSecret
            case .wrongPassphrase, .wrongRecovery, .unavailableMethod: .notUnlocked
            case .tooManyAttempts: .tooManyPassphrases
            case .damaged: .damaged
            case .diskFull: .diskFull
            case .memory, .storeFailed: .internalError
            }
    }
}

extension Problem {
    init(_ error: SealingError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
        if let wait = error.retryAfter { headers[.retryAfter] = Self.wholeSeconds(wait) }
    }
}
