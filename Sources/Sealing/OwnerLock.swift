import Samples
public import Scheduling
import Synchronization

/// The lock of a data directory: seals at any time, and opens while the owner has unlocked the key.
///
/// The key is unlocked for a lease, which begins with the passphrase and is not lengthened by use. Then, or when
/// the owner locks it, the private key is overwritten.
///
/// ```swift
/// let lock = OwnerLock(folder: data)
/// let sealed = try lock.seal(bytes, for: .secret, at: place)
/// try await lock.unlock(with: .passphrase(passphrase))
/// let opened = try lock.open(sealed, for: .secret, at: place)
/// ```
public final class OwnerLock: Sendable {
    /// A way to open the private key.
    public enum Method: Sendable {
        case passphrase(Passphrase)
        /// The credential of the service.
        case credential
        /// The line that `age --decrypt` writes for the recovery file.
        case recovered(String)
    }

    /// What the owner wants for a new key.
    public struct Setup: Sendable {
        /// The recovery key; `nil` for none.
        public var recovery: AgeRecipient?
        /// Whether the credential of the service unlocks the key, too.
        public var usesCredential: Bool

        public init(recovery: AgeRecipient? = nil, usesCredential: Bool = false) {
            (self.recovery, self.usesCredential) = (recovery, usesCredential)
        }
    }

    /// What the owner may know about the lock at any time.
    public struct Status: Sendable {
        public enum State: String, Sendable {
            /// There is no key yet.
            case none
            case locked
            case unlocked
        }

        public let state: State
        /// Of the public key.
        public let fingerprint: String?
        /// To whom the recovery file is encrypted.
        public let recovery: AgeRecipient?
        /// Whether the credential of the service was set up, and is there.
        public let usesCredential: Bool
        public let hasCredential: Bool
        /// How long the key stays unlocked.
        public let lease: Duration?
        /// How much of the lease is left.
        public let left: Duration?
        /// The wrong passphrases since the last correct one.
        public let wrongAttempts: Int
        /// How long the next passphrase must wait.
        public let wait: Duration?
    }

    private struct State {
        var file: OwnerKeyFile?
        var key: OwnerKey?
        /// When the lease ends; set while `key` is.
        var end: ContinuousClock.Instant?
        var attempts: PassphraseAttempts
        /// Whether a passphrase is being tried.
        var isTrying = false
    }

    private let folder: String
    private let costs: Argon2idCosts
    private let credentialPath: String?
    private let time: any TimeSource
    private let state: Mutex<State>
    private let executor = BlockingExecutor(label: "sealing.passphrase", isSerial: true)
    private let unlocked = ChangeSignal()
    /// Why the file of the key cannot be read; everything then fails with this error.
    public let fault: SealingError?

    /// Reads the owner's key in a data directory.
    ///
    /// - Parameters:
    ///   - credential: the file of the credential of the service; it need not exist.
    ///   - costs: of new passphrases.
    public init(
        folder: String, credential: String? = nil, costs: Argon2idCosts = .standard,
        time: any TimeSource = .system
    ) {
        (self.folder, self.costs, self.credentialPath, self.time) =
            (folder, costs, credential, time)
        var (file, fault): (OwnerKeyFile?, SealingError?) = (nil, nil)
        do {
            file = try OwnerKeyFile(in: folder)
        } catch {
            fault = error
        }
        self.fault = fault
        state = Mutex(State(file: file, attempts: PassphraseAttempts(in: folder)))
    }

    /// The state now.
    public var status: Status {
        let (now, instant) = (time.now().microseconds, time.instant())
        let hasCredential = credentialPath.map { SecretFileBytes.exists($0) } ?? false
        return state.withLock { state in
            Self.expire(&state, at: instant)
            let file = state.file
            return Status(
                state: file == nil ? .none : state.key == nil ? .locked : .unlocked,
                fingerprint: file?.publicKey.fingerprint, recovery: file?.recovery,
                usesCredential: file?.hasCredential ?? false, hasCredential: hasCredential,
                lease: file?.lease, left: state.end.map { instant.duration(to: $0) },
                wrongAttempts: state.attempts.count, wait: state.attempts.wait(at: now))
        }
    }

    /// The path of the recovery file; `nil` without one.
    public var recoveryPath: String? {
        state.withLock { $0.file?.recovery == nil ? nil : $0.file?.recoveryPath }
    }

    // MARK: - Sealing

    /// Seals bytes to the owner's key; needs no unlocking.
    ///
    /// - Throws: `notSetUp` without a key; the fault.
    public func seal(
        _ bytes: [UInt8], for purpose: SealPurpose, at place: String
    ) throws(SealingError) -> [UInt8] {
        if let fault { throw fault }
        guard let key = state.withLock({ $0.file?.publicKey }) else { throw Self.notSetUp }
        return try key.seal(bytes, for: purpose, at: place)
    }

    /// Opens a sealed form.
    ///
    /// - Throws: `locked`, `notSetUp` or `damaged`.
    public func open(
        _ sealed: [UInt8], for purpose: SealPurpose, at place: String
    ) throws(SealingError) -> SecretBytes {
        try key().open(sealed, for: purpose, at: place)
    }

    private func key() throws(SealingError) -> OwnerKey {
        if let fault { throw fault }
        let instant = time.instant()
        let (isSetUp, key) = state.withLock { state in
            Self.expire(&state, at: instant)
            return (state.file != nil, state.key)
        }
        guard isSetUp else { throw Self.notSetUp }
        guard let key else {
            throw SealingError(
                .locked, "The owner's key is locked.", hint: "Unlock it with: nervous unlock")
        }
        return key
    }

    // MARK: - Locking

    /// Creates the owner's key, and leaves it unlocked for its lease.
    ///
    /// - Throws: `alreadySetUp`, `unsuitablePassphrase`, `unavailableMethod`, `memory`, `storeFailed` or
    ///   `diskFull`.
    public func setUp(_ passphrase: Passphrase, _ setup: Setup) async throws {
        if let fault { throw fault }
        let credential = setup.usesCredential ? try credential() : nil
        try await blocking { [self] in
            let (file, key) = try OwnerKeyFile.create(
                in: folder, passphrase: passphrase, recovery: setup.recovery,
                credential: credential, costs: costs)
            begin(key, file)
        }
    }

    /// Unlocks the key for its lease; a lease that has begun is replaced by a new one.
    ///
    /// - Throws: `wrongPassphrase`, `tooManyAttempts`, `notSetUp`, `unavailableMethod`, `invalidRecovery`,
    ///   `wrongRecovery`, `memory`, `damaged`, `storeFailed` or `diskFull`.
    public func unlock(with method: Method) async throws {
        let (file, key) = try await open(with: method)
        begin(key, file)
    }

    /// Sets another passphrase; nothing that was sealed changes.
    ///
    /// - Parameter method: proves that the owner calls, even while the key is unlocked.
    /// - Throws: as ``unlock(with:)``, and `unsuitablePassphrase`.
    public func change(to passphrase: Passphrase, provedBy method: Method) async throws {
        try passphrase.checkNew()
        var (file, key) = try await open(with: method)
        let costs = costs
        (file, key) = try await blocking { [file, key] in
            var file = file
            try file.change(to: passphrase, key: key, costs: costs)
            return (file, key)
        }
        begin(key, file)
    }

    /// Sets how long the key stays unlocked; the present lease restarts.
    ///
    /// - Throws: `locked`, since a longer lease protects less.
    public func setLease(seconds: Int) throws(SealingError) {
        let key = try key()
        guard var file = state.withLock({ $0.file }) else { throw Self.notSetUp }
        try file.setLease(seconds: seconds)
        begin(key, file)
    }

    /// Overwrites the private key.
    ///
    /// - Returns: whether it was unlocked.
    @discardableResult
    public func lock() -> Bool {
        let instant = time.instant()
        return state.withLock { state in
            Self.expire(&state, at: instant)
            defer { (state.key, state.end) = (nil, nil) }
            return state.key != nil
        }
    }

    /// Overwrites the key when a lease ends, until the task is cancelled; then it locks.
    ///
    /// Without it the key is refused after the lease, but remains in memory until the next call.
    public func run() async {
        defer { lock() }
        let changes = unlocked.watch()
        await waitForEnd()
        for await _ in changes { await waitForEnd() }
    }

    /// Waits until no lease is left.
    private func waitForEnd() async {
        while true {
            let instant = time.instant()
            let end = state.withLock { state in
                Self.expire(&state, at: instant)
                return state.end
            }
            guard let end else { return }
            do {
                // A later lease may have begun when this one ends.
                try await time.sleep(for: max(instant.duration(to: end), .milliseconds(1)))
            } catch {
                return
            }
        }
    }

    // MARK: - Private

    private static let notSetUp = SealingError(
        .notSetUp, "There is no owner's key yet.", hint: "Create it with: nervous lock setup")

    private static func expire(_ state: inout State, at instant: ContinuousClock.Instant) {
        if let end = state.end, instant >= end { (state.key, state.end) = (nil, nil) }
    }

    private func begin(_ key: OwnerKey, _ file: OwnerKeyFile) {
        let instant = time.instant()
        state.withLock { state in
            state.file = file
            (state.key, state.end) = (key, instant.advanced(by: file.lease))
        }
        unlocked.send()
    }

    private func open(with method: Method) async throws -> (OwnerKeyFile, OwnerKey) {
        if let fault { throw fault }
        guard let file = state.withLock({ $0.file }) else { throw Self.notSetUp }
        switch method {
        case .credential:
            return (file, try file.unlock(withCredential: credential()))
        case .recovered(let line):
            let key = try file.unlock(withRecovered: line)
            state.withLock { $0.attempts.succeed() }
            return (file, key)
        case .passphrase(let passphrase):
            try beginAttempt()
            defer { state.withLock { $0.isTrying = false } }
            let key = try await blocking { try file.unlock(with: passphrase) }
            state.withLock { $0.attempts.succeed() }
            return (file, key)
        }
    }

    /// One passphrase at a time: attempts at once would not be counted one after the other.
    private func beginAttempt() throws(SealingError) {
        let now = time.now().microseconds
        let failure: SealingError? = state.withLock { state in
            if state.isTrying {
                return SealingError(
                    .tooManyAttempts, "Another passphrase is being tried.",
                    retryAfter: .seconds(1))
            }
            if let wait = state.attempts.wait(at: now) {
                return SealingError(
                    .tooManyAttempts,
                    "\(state.attempts.count) wrong passphrases; the next one is not tried yet.",
                    hint: "Wait, or recover the key: nervous lock recover", retryAfter: wait)
            }
            do throws(SealingError) {
                try state.attempts.begin(at: now)
            } catch {
                return error
            }
            state.isTrying = true
            return nil
        }
        if let failure { throw failure }
    }

    private func credential() throws(SealingError) -> SecretBytes {
        guard let credentialPath, let bytes = try SecretFileBytes.read(credentialPath) else {
            throw SealingError(
                .unavailableMethod, "The host has no credential with the name of the owner's key.",
                hint: "See docs/locking.md")
        }
        return bytes
    }

    private func blocking<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withTaskExecutorPreference(executor) { try await Self.run(body) }
    }

    private static func run<T>(_ body: () throws -> T) async throws -> T { try body() }
}
