public import Auth
public import Foundation
public import Logging

/// Starts apps, each in a process of its own, knows what they use and how they ended.
///
/// A run is prepared first, so that a person can decide for it alone, and started then. One that a
/// person watches ends with its process. One in the background is started again when it fails, at
/// growing intervals, until it has failed too often.
public actor RunSupervisor {
    let library: AppLibrary
    let authority: Authority
    let pool: RunnerPool
    /// Whether the pool ends with this.
    private let ownsPool: Bool
    let runnerPath: String
    let prelude: [RunScript]
    let libraries: RunLibraries
    /// What an app may use, by its name.
    public nonisolated let budget: @Sendable (String) -> RunBudget
    private let restarts: RestartPolicy
    let history: RunHistory
    let now: @Sendable () -> Date
    /// The time that apps live in; the machine's where it is `nil`.
    let time: (any RunTime)?
    private let logger: Logger
    var connection: (any HostConnection)?
    var reports: [String: RunReport] = [:]
    var order: [String] = []
    var lines: [String: RecentEvents] = [:]
    var processes: [String: AppRun] = [:]
    var tokens: [String: Token] = [:]
    /// The identity of the app that each run was prepared for.
    var identities: [String: String] = [:]
    private var isClosed = false
    var work: [String: Task<RunReport, any Error>] = [:]

    /// - Parameters:
    ///   - runner: the path of `nervous-runner`.
    ///   - prelude: scripts that every app finds.
    ///   - libraries: scripts that apps load when they need them.
    ///   - records: the folder in which the last runs are recorded.
    ///   - budget: what an app may use, by its name.
    ///   - keepsSpare: whether a process waits for the next app, at the cost of its memory.
    ///   - pool: makes the processes of several of these; it is for the caller to close.
    ///   - now: the clock that runs are dated by.
    ///   - time: the time that apps live in, where it is not the machine's.
    public init(
        runner: String, library: AppLibrary, authority: Authority, prelude: [RunScript],
        libraries: RunLibraries = RunLibraries(), records: URL,
        budget: @escaping @Sendable (String) -> RunBudget = { _ in RunBudget() },
        restarts: RestartPolicy = RestartPolicy(), keepsSpare: Bool = false,
        pool shared: RunnerPool? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, time: (any RunTime)? = nil,
        logger: Logger = Logger(label: "nervous.runs")
    ) {
        runnerPath = runner
        self.library = library
        self.authority = authority
        self.prelude = prelude
        self.libraries = libraries
        self.budget = budget
        self.restarts = restarts
        self.now = now
        self.time = time
        self.logger = logger
        history = RunHistory(folder: records)
        pool = shared ?? RunnerPool(path: runner, keepsSpare: keepsSpare)
        ownsPool = shared == nil
    }

    /// Gives the runs their way to the host's API; none can start before.
    public func open(_ connection: any HostConnection) async {
        self.connection = connection
        await pool.warmUp()
    }

    /// Ends all runs and whatever was kept ready.
    public func close() async {
        isClosed = true
        for task in work.values { task.cancel() }
        for task in work.values { _ = try? await task.value }
        for run in reports.values where run.state != .ended {
            _ = try? await finish(run.id, .stopped)
        }
        if ownsPool { await pool.close() }
        // The way to the API leads back here: nothing of a host would be freed.
        connection = nil
    }

    // MARK: - Runs

    /// Makes a run of an app that can be decided about and started.
    ///
    /// One that is not started within ten minutes is forgotten.
    ///
    /// - Parameter isWatched: whether a person watches it; otherwise it runs in the background.
    /// - Throws: `JSAppsError` when the app is not there, `AuthError` when nothing can be kept.
    public func prepare(app name: String, isWatched: Bool = true) async throws -> RunReport {
        await forgetUnstarted()
        let app = try await library.app(named: name)
        try await authority.admit(app.declared)
        let (id, token) = try await authority.beginRun(
            of: app.name.text, isWatched: isWatched)
        let report = RunReport(
            id: id, app: app.name.text, isWatched: isWatched, started: now())
        reports[id] = report
        order.append(id)
        tokens[id] = token
        identities[id] = app.identity
        forgetOldest()
        return report
    }

    /// Runs a prepared run to its end; when the task is cancelled, it is stopped.
    ///
    /// - Parameters:
    ///   - isInsecure: whether it runs without confinement.
    ///   - presentation: what it shows of its page.
    ///   - rehearsal: what runs in the app's place and starts it.
    ///   - onEvent: is told what it says; nothing more is taken from the app before it returns.
    /// - Throws: `JSAppsError`: `notFound` when there is no such run, `confinement` or `io` when no
    ///   process can be made, `damaged` when the app's code is not what was installed.
    public func run(
        _ id: String, isInsecure: Bool = false,
        presentation: RunPresentation = RunPresentation(), rehearsal: Rehearsal? = nil,
        onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) async throws -> RunReport {
        let task = try begin(id) {
            let outcome = try await self.process(
                id, isInsecure: isInsecure, presentation: presentation, rehearsal: rehearsal,
                onEvent)
            return try await self.finish(id, outcome)
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts a prepared run that goes on by itself.
    public func runInBackground(_ id: String, isInsecure: Bool = false) throws {
        _ = try begin(id) { try await self.again(id, isInsecure: isInsecure) }
    }

    /// Stops a run and waits until its process has ended.
    ///
    /// - Throws: `notFound` when there is no such run.
    @discardableResult
    public func stop(_ id: String) async throws -> RunReport {
        guard let known = reports[id] else { throw JSAppsError.noRun(id) }
        guard let task = work[id] else {
            return known.state == .ended ? known : try await finish(id, .stopped)
        }
        task.cancel()
        _ = try? await task.value
        return try await report(id)
    }

    /// The runs that are known, newest first, with what they have used.
    public func runs() async -> [RunReport] {
        await forgetUnstarted()
        var list: [RunReport] = []
        for id in order.reversed() {
            if let report = try? await report(id) { list.append(report) }
        }
        return list
    }

    /// One run.
    ///
    /// - Throws: `notFound` when there is no such run.
    public func report(_ id: String) async throws -> RunReport {
        guard var report = reports[id] else { throw JSAppsError.noRun(id) }
        if report.state == .running, let process = processes[id] {
            report.usage.add(await process.currentUsage())
            report.usage.samples = await authority.log.samples(givenTo: id)
        }
        return report
    }

    /// The newest events of a run's console.
    public func console(of id: String) -> [RunEvent] { lines[id]?.events ?? [] }

    /// The last run of an app, this host's or an earlier one's.
    public func lastRun(of app: String) async -> RunReport? {
        for id in order.reversed() where reports[id]?.app == app && reports[id]?.state != .prepared
        {
            return try? await report(id)
        }
        return history.runs(of: app).first
    }

    // MARK: - Private

    private func begin(
        _ id: String, _ body: @escaping @Sendable () async throws -> RunReport
    ) throws -> Task<RunReport, any Error> {
        guard let report = reports[id] else { throw JSAppsError.noRun(id) }
        guard !isClosed else { throw JSAppsError(.conflict, "The host is stopping.") }
        guard report.state == .prepared, work[id] == nil else {
            throw JSAppsError(.conflict, "The run \(id) has been started already.")
        }
        let task = Task { () throws -> RunReport in
            defer { work[id] = nil }
            do {
                return try await body()
            } catch {
                _ = try? await finish(id, .failedToStart("\(error)"))
                throw error
            }
        }
        work[id] = task
        return task
    }

    private func again(_ id: String, isInsecure: Bool) async throws -> RunReport {
        var failures: [ContinuousClock.Instant] = []
        while true {
            let outcome: RunOutcome
            do {
                outcome = try await process(id, isInsecure: isInsecure) { _ in }
            } catch let error as JSAppsError where error.code == .io {
                // The machine may have more to give in a while.
                outcome = .failedToStart(error.message)
            }
            guard outcome.isFailure, !Task.isCancelled else { return try await finish(id, outcome) }
            failures = failures.suffix(restarts.failures) + [.now]
            reports[id]?.ending = RunEnding(outcome)
            guard let wait = restarts.wait(after: failures) else {
                reports[id]?.hasGivenUp = true
                return try await finish(id, outcome)
            }
            reports[id]?.state = .waiting
            guard (try? await Task.sleep(for: wait)) != nil else {
                return try await finish(id, .stopped)
            }
            reports[id]?.restarts += 1
        }
    }

    @discardableResult
    private func finish(_ id: String, _ outcome: RunOutcome) async throws -> RunReport {
        guard var report = reports[id] else { throw JSAppsError.noRun(id) }
        report.state = .ended
        report.ending = RunEnding(outcome)
        report.ended = now()
        reports[id] = report
        tokens[id] = nil
        identities[id] = nil
        try? await authority.endRun(id)
        do {
            try history.add(report)
        } catch {
            logger.error("\(error.message)")
        }
        return report
    }
}
