/// Makes the processes that apps run in, and keeps one that is ready for the next.
///
/// All runners of one zygote have the same layout in memory. Where one ended as no honest app does, the
/// next come from a new zygote, so that nobody learns the layout by trying.
actor RunnerPool {
    /// When a spare is made after one was taken, so that it is not in the way of the app's start.
    private static let rest = Duration.milliseconds(250)

    private let path: String
    private let keepsSpare: Bool
    private var zygote: Task<Zygote, any Error>?
    private var spare: RunnerProcess?
    private var refilling: Task<Void, Never>?
    private var isClosed = false

    /// - Parameter path: of `nervous-runner`.
    init(path: String, keepsSpare: Bool) {
        self.path = path
        self.keepsSpare = keepsSpare
    }

    /// A process that waits for an app.
    ///
    /// - Throws: `confinement` when the kernel lacks a layer, `io` when it cannot be started.
    func runner(for budget: RunBudget) async throws -> RunnerProcess {
        defer { refill() }
        if budget.isOrdinaryProcess, let spare, spare.isAlive {
            self.spare = nil
            return spare
        }
        return try await makeRunner(budget)
    }

    /// Makes what the first app will need.
    func warmUp() {
        refill()
    }

    /// Lets the next runners come from a new zygote; those that run go on.
    func renew() async {
        let old = zygote
        zygote = nil
        spare?.kill()
        spare = nil
        await (try? old?.value)?.retire()
        refill()
    }

    /// Ends all runners.
    func close() async {
        isClosed = true
        refilling?.cancel()
        spare?.kill()
        spare = nil
        await (try? zygote?.value)?.end()
    }

    private func makeRunner(_ budget: RunBudget) async throws -> RunnerProcess {
        do {
            return try await current().makeRunner(budget)
        } catch let error as JSAppsError where error.code == .io {
            // It may have been killed: one more, and no more than one.
            zygote = nil
            return try await current().makeRunner(budget)
        }
    }

    /// The zygote, which is made when first asked for; all who ask meanwhile share it.
    private func current() async throws -> Zygote {
        if let zygote, let living = try? await zygote.value, await !living.hasEnded {
            return living
        }
        let path = path
        let fresh = zygoteBeingMade ?? Task { try await Zygote.start(path: path) }
        zygoteBeingMade = fresh
        defer { zygoteBeingMade = nil }
        let made = try await fresh.value
        zygote = fresh
        return made
    }

    private var zygoteBeingMade: Task<Zygote, any Error>?

    private func refill() {
        guard keepsSpare, !isClosed, refilling == nil, spare == nil else { return }
        refilling = Task {
            try? await Task.sleep(for: Self.rest)
            if !Task.isCancelled, let made = try? await makeRunner(RunBudget()) {
                if isClosed || spare != nil { made.kill() } else { spare = made }
            }
            refilling = nil
        }
    }
}
