/// Makes the processes that apps run in, and keeps one that is ready for the next.
///
/// All runners of one zygote have the same layout in memory. Where one ended as no honest app does, the
/// next come from a new zygote, so that nobody learns the layout by trying.
public actor RunnerPool {
    /// When a spare is made after one was taken, so that it is not in the way of the app's start.
    private static let rest = Duration.milliseconds(250)

    /// The process that waits for the next app.
    private(set) var spare: RunnerProcess?

    private let path: String
    private let keepsSpare: Bool
    private var zygote: Task<Zygote, any Error>?
    private var refilling: Task<Void, Never>?
    private var renewals = 0
    private var isClosed = false

    /// - Parameters:
    ///   - path: of `nervous-runner`.
    ///   - keepsSpare: whether a process waits for the next app, at the cost of its memory.
    public init(path: String, keepsSpare: Bool) {
        self.path = path
        self.keepsSpare = keepsSpare
    }

    /// A process that waits for an app.
    ///
    /// - Throws: `confinement` when the kernel lacks a layer, `io` when it cannot be started.
    func runner(for budget: RunBudget) async throws -> RunnerProcess {
        defer { refill() }
        if budget.isOrdinaryProcess, let ready = spare {
            spare = nil
            if ready.isAlive { return ready }
        }
        return try await makeRunner(budget)
    }

    /// Makes what the first app will need.
    func warmUp() {
        refill()
    }

    /// Lets the next runners come from a new zygote; those that run go on.
    func renew() async {
        renewals += 1
        let old = zygote
        zygote = nil
        dropSpare()
        refill()
        await (try? old?.value)?.retire()
    }

    /// Ends all runners.
    public func close() async {
        isClosed = true
        refilling?.cancel()
        dropSpare()
        await (try? zygote?.value)?.end()
    }

    /// The zygote, which is made when first asked for; all who ask meanwhile share it.
    func current() async throws -> Zygote {
        if let known = zygote {
            if let living = try? await known.value, await living.takesOrders { return living }
            // Others may have found the same meanwhile, and begun another.
            if zygote == known { zygote = nil }
        }
        guard !isClosed else { throw JSAppsError(.conflict, "The host is about to end.") }
        let path = path
        let shared = zygote ?? Task { try await Zygote.start(path: path) }
        zygote = shared
        return try await shared.value
    }

    private func makeRunner(_ budget: RunBudget) async throws -> RunnerProcess {
        // It may have been killed: one more, and no more than one.
        for _ in 0..<2 {
            var before: Int
            repeat {
                before = renewals
                if let made = await attempt(budget, try await current()) { return made }
                // One that was given up meanwhile is no fault.
            } while renewals != before
        }
        return try await current().makeRunner(budget)
    }

    /// - Returns: `nil` when the machine refused; the zygote is given up then.
    private func attempt(_ budget: RunBudget, _ used: Zygote) async -> RunnerProcess? {
        if let made = try? await used.makeRunner(budget) { return made }
        await used.retire()
        return nil
    }

    private func dropSpare() {
        spare?.kill()
        spare = nil
    }

    private func refill() {
        guard keepsSpare, !isClosed, refilling == nil, spare == nil else { return }
        refilling = Task {
            try? await Task.sleep(for: Self.rest)
            let before = renewals
            if !Task.isCancelled, let made = try? await makeRunner(RunBudget()) {
                // One of a zygote that is to be used no more must not wait for an app.
                if isClosed || spare != nil || renewals != before {
                    made.kill()
                } else {
                    spare = made
                }
            }
            refilling = nil
            if renewals != before { refill() }
        }
    }
}
