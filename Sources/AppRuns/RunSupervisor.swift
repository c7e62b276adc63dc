public import Auth
public import Foundation
public import JSApps
public import Logging
import Samples
public import Scheduling

/// Starts apps, each in its own process, and tracks their usage and their end.
///
/// A run is first prepared, so that the owner can decide about it, and then started. In the
/// foreground, a run ends with its process. In the background, it is restarted after a failure, at
/// growing intervals, until it has failed too often. A background run that the owner does not stop is
/// resumed by the next host.
///
/// ```swift
/// let run = try await supervisor.prepare(app: "step-counter")
/// let report = try await supervisor.run(run.id) { event in print(event) }
/// print(report.ending?.name ?? "")
/// ```
public actor RunSupervisor {
    /// The limits of an app, by its name.
    public nonisolated let budget: @Sendable (String) -> RunBudget

    private let library: AppLibrary
    private let authority: Authority
    private let pool: RunnerPool
    /// Whether the pool is closed with the supervisor.
    private let ownsPool: Bool
    private let runnerPath: String
    private let zone: AppTimeZone
    private let prelude: [RunScript]
    private let libraries: RunLibraries
    private let restarts: RestartPolicy
    private let history: RunHistory
    /// The background runs that the next host resumes.
    private var background: BackgroundRunList
    private let time: any TimeSource
    private let virtualTime: (any VirtualRunTime)?
    private let logger: Logger

    private var connection: (any HostConnection)?
    private var registry = RunRegistry() {
        didSet {
            guard registry.version != reported else { return }
            reported = registry.version
            changes.send()
        }
    }
    /// Reports that a run was added or forgotten, or that its state has changed.
    public nonisolated let changes = ChangeSignal()
    /// The version of the registry that was last reported.
    private var reported = 0
    /// The run of each process, and the bytes of memory that it had at its start.
    private var processes: [String: (run: AppRun, memory: Int)] = [:]
    /// How many processes are being started.
    private var starting = 0
    private var together: SharedBudget
    private var sharing: Task<Void, Never>?
    private var work: [String: Task<RunReport, any Error>] = [:]
    private var isClosed = false

    /// - Parameters:
    ///   - runner: the path of `nervous-runner`.
    ///   - prelude: scripts that are evaluated before every app.
    ///   - libraries: scripts that apps load when they need them.
    ///   - records: the folder in which the last runs are recorded.
    ///   - budget: the limits of an app, by its name.
    ///   - totalBudget: the limits of all runs together.
    ///   - keepsSpare: whether a process is kept ready for the next app, which takes memory; not used with
    ///     `pool`.
    ///   - zone: the time zone of the apps; not used with `pool`, which has its own.
    ///   - pool: makes the processes of several supervisors; the caller closes it.
    ///   - time: the clock for the start and end of runs. Supervision uses the machine's clock.
    ///   - virtualTime: the time of the apps, if it is not the machine's.
    public init(
        runner: String, library: AppLibrary, authority: Authority, prelude: [RunScript],
        libraries: RunLibraries = RunLibraries(), records: URL,
        budget: @escaping @Sendable (String) -> RunBudget = { _ in RunBudget() },
        totalBudget: TotalBudget = TotalBudget(), restarts: RestartPolicy = RestartPolicy(),
        keepsSpare: Bool = false,
        zone: AppTimeZone = .system, pool shared: RunnerPool? = nil, time: any TimeSource = .system,
        virtualTime: (any VirtualRunTime)? = nil,
        logger: Logger = Logger(label: "nervous.runs")
    ) {
        runnerPath = runner
        self.zone = zone
        self.library = library
        self.authority = authority
        self.prelude = prelude
        self.libraries = libraries
        self.budget = budget
        together = SharedBudget(
            totalBudget, processors: ProcessInfo.processInfo.activeProcessorCount)
        self.restarts = restarts
        self.time = time
        self.virtualTime = virtualTime
        self.logger = logger
        history = RunHistory(folder: records)
        background = BackgroundRunList(folder: records)
        pool =
            shared
            ?? RunnerPool(
                path: runner, keepsSpare: keepsSpare, zone: zone,
                // A host that runs one app would load them for that one only.
                libraries: keepsSpare ? libraries : RunLibraries(),
                scripts: keepsSpare ? prelude : [],
                // Only a host that is a unit of its own has one to put apps into.
                group: keepsSpare ? AppControlGroup(totalBudget) : nil)
        ownsPool = shared == nil
    }

    /// Connects the runs to the host's API; runs can start only after this.
    public func open(_ connection: any HostConnection) async {
        self.connection = connection
        await pool.warmUp()
    }

    /// Ends all runs and the spare process.
    public func close() async {
        isClosed = true
        for task in work.values { task.cancel() }
        for task in work.values { _ = try? await task.value }
        for run in registry.reports where run.state != .ended {
            _ = try? await finish(run.id, .stopped)
        }
        sharing?.cancel()
        if ownsPool { await pool.close() }
        // The API refers to the supervisor: without this, neither would be freed.
        connection = nil
    }

    // MARK: - Runs

    /// Prepares a run of an app, so that the owner can make decisions for it before it is started.
    ///
    /// A run that is not started within ten minutes is forgotten.
    ///
    /// - Parameter isForeground: whether it is a foreground run.
    /// - Throws: `JSAppsError` if the app is not installed, `AuthError` if nothing can be stored.
    public func prepare(app name: String, isForeground: Bool = true) async throws -> RunReport {
        await forgetUnstarted()
        let app = try await library.app(named: name)
        try await authority.admit(app.declared)
        let (id, token) = try await authority.beginRun(
            of: app.name.text, isForeground: isForeground)
        let report = RunReport(id: id, app: app.name.text, isForeground: isForeground, started: now)
        registry.add(
            report, RunRegistry.Authorization(token: token, identity: app.identity))
        return report
    }

    /// Runs a prepared run in the foreground to its end; stops it when the task is cancelled.
    ///
    /// - Parameters:
    ///   - isInsecure: whether it runs without confinement.
    ///   - presentation: the parts of its page that it reports.
    ///   - harness: scripts that run first and decide when the app is started.
    ///   - onEvent: receives the events of the run; the app waits until it returns.
    /// - Throws: ``AppRunsError``: `noRun`, `conflict`, `confinement` or `io` if no process can be
    ///   made, `damaged` if the script cannot be run; `JSAppsError` if the app's files have
    ///   changed.
    public func run(
        _ id: String, isInsecure: Bool = false,
        presentation: RunPresentation = RunPresentation(), harness: TestHarness? = nil,
        onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) async throws -> RunReport {
        let task = try begin(id) {
            let outcome = try await self.runProcess(
                id, isInsecure: isInsecure, presentation, harness, onEvent)
            return try await self.finish(id, outcome)
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts a prepared run in the background.
    ///
    /// The next host resumes it unless it was stopped, has ended or failed too often. A run without
    /// confinement is never resumed.
    ///
    /// - Throws: ``AppRunsError`` with code `noRun` or `conflict`.
    public func runInBackground(_ id: String, isInsecure: Bool = false) throws {
        _ = try begin(id) { try await self.runRepeatedly(id, isInsecure: isInsecure) }
        guard !isInsecure, let run = registry.report(id),
            let identity = registry.authorization(of: id)?.identity
        else { return }
        changeBackground { list throws(AppRunsError) in
            try list.add(BackgroundRunList.Entry(run: id, app: run.app, identity: identity))
        }
    }

    /// Starts the background runs of the previous host, each as a new run with the lasting decisions
    /// and those of the policy broker.
    ///
    /// An app that was removed, or replaced by another of its name, is not resumed.
    public func resumeBackgroundRuns() async {
        for entry in background.entries where registry.report(entry.run) == nil {
            do {
                let app = try await library.app(named: entry.app)
                if app.identity == entry.identity {
                    let run = try await prepare(app: entry.app, isForeground: false)
                    // Its decisions held for the previous run.
                    _ = try await authority.consultBroker(
                        about: app.manifest.privileges.map(\.id), for: run.id)
                    try runInBackground(run.id)
                }
            } catch let error as JSAppsError where error.code == .notInstalled {
                logger.warning("\(entry.app) was not resumed: \(error.message)")
            } catch {
                // It stays listed for the next start of the host.
                logger.error("\(entry.app) could not be resumed: \(error)")
                continue
            }
            changeBackground { list throws(AppRunsError) in try list.remove(entry.run) }
        }
    }

    /// Stops a run and waits until its process has ended.
    ///
    /// - Throws: ``AppRunsError`` with code `noRun`.
    @discardableResult
    public func stop(_ id: String) async throws -> RunReport {
        guard let known = registry.report(id) else { throw AppRunsError.noRun(id) }
        guard let task = work[id] else {
            return known.state == .ended ? known : try await finish(id, .stopped)
        }
        task.cancel()
        _ = try? await task.value
        return try await report(id)
    }

    /// Stops the runs of an app and forgets all its runs.
    public func forget(app: String) async {
        for run in registry.reports where run.app == app {
            _ = try? await stop(run.id)
            registry.forget(run.id)
        }
        changeBackground { list throws(AppRunsError) in try list.remove(app: app) }
        history.forget(app)
    }

    // MARK: - Reports

    /// The known runs, newest first.
    public func runs() async -> [RunReport] {
        await forgetUnstarted()
        var list: [RunReport] = []
        for id in registry.newestFirst {
            if let report = try? await report(id) { list.append(report) }
        }
        return list
    }

    /// One run, with its current usage.
    ///
    /// - Throws: ``AppRunsError`` with code `noRun`.
    public func report(_ id: String) async throws -> RunReport {
        guard var report = registry.report(id) else { throw AppRunsError.noRun(id) }
        if report.state == .running, let process = processes[id] {
            report.usage.add(await process.run.currentUsage())
            report.usage.samples = await authority.log.samples(readBy: id)
        }
        return report
    }

    /// The latest events of a run.
    public func console(of id: String) -> [TimedRunEvent] { registry.events(of: id) }

    /// The last run of an app, on this host or an earlier one.
    public func lastRun(of app: String) async -> RunReport? {
        for id in registry.newestFirst {
            guard let run = registry.report(id), run.app == app, run.state != .prepared else {
                continue
            }
            return try? await report(id)
        }
        return history.runs(of: app).first
    }

    // MARK: - Private

    private var now: Date {
        Date(timeIntervalSince1970: Double(time.now().microseconds) / 1e6)
    }

    private func begin(
        _ id: String, _ body: @escaping @Sendable () async throws -> RunReport
    ) throws -> Task<RunReport, any Error> {
        guard let report = registry.report(id) else { throw AppRunsError.noRun(id) }
        guard !isClosed else { throw AppRunsError(.conflict, "The host is stopping.") }
        guard report.state == .prepared, work[id] == nil else {
            throw AppRunsError(.conflict, "The run \(id) has already been started.")
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

    /// Runs an app until it ends without a failure, or has failed too often.
    private func runRepeatedly(_ id: String, isInsecure: Bool) async throws -> RunReport {
        var failures: [ContinuousClock.Instant] = []
        while true {
            let outcome: RunOutcome
            do {
                outcome = try await runProcess(id, isInsecure: isInsecure) { _ in }
            } catch let error as AppRunsError where error.code == .io {
                // The machine may have the resources later.
                outcome = .failedToStart(error.message)
            }
            guard outcome.isFailure, !Task.isCancelled else { return try await finish(id, outcome) }
            failures = failures.suffix(restarts.failures) + [.now]
            registry.noteEnding(outcome, of: id)
            guard let wait = restarts.wait(after: failures) else {
                registry.update(id) { $0.hasGivenUp = true }
                logger.warning("a background run failed too often", metadata: ["run": "\(id)"])
                return try await finish(id, outcome)
            }
            registry.update(id) { $0.state = .waiting }
            guard (try? await Task.sleep(for: wait)) != nil else {
                return try await finish(id, .stopped)
            }
            registry.update(id) { $0.restarts += 1 }
        }
    }

    /// Runs one process of a run to its end.
    private func runProcess(
        _ id: String, isInsecure: Bool, _ presentation: RunPresentation = RunPresentation(),
        _ harness: TestHarness? = nil, _ onEvent: @escaping @Sendable (RunEvent) async -> Void
    ) async throws -> RunOutcome {
        guard let name = registry.report(id)?.app,
            let authorization = registry.authorization(of: id), let connection
        else { throw AppRunsError.noRun(id) }
        let app = try await library.app(named: name)
        // Another app of the same name must not run with this one's decisions.
        guard app.identity == authorization.identity else {
            throw AppRunsError(
                .conflict, "The app ‘\(app.name)’ was replaced since the run was prepared.")
        }
        var configuration = try await RunConfiguration(
            of: app, in: library, token: authorization.token.text, prelude: prelude,
            libraries: libraries)
        configuration.presentation = presentation
        configuration.time = virtualTime
        if let harness {
            configuration.scripts.insert(contentsOf: harness.scripts, at: prelude.count)
            configuration.startPath = harness.startPath
        }
        let budget = budget(name)
        configuration.budget = budget
        let runner = try await runner(
            for: budget, opensPage: configuration.page != nil, isInsecure: isInsecure)
        let run = AppRun(configuration, process: runner, connection: connection) { event in
            await self.note(event, of: id)
            await onEvent(event)
        }
        registry.beginProcess(of: id)
        processes[id] = (run, runner.ownUsage()?.memory ?? 0)
        shareBudget()
        await authority.log.note(.runBegan(of: name, run: id))
        let renewal = Task { await renewToken(of: id) }
        let (outcome, usage) = await run.run()
        renewal.cancel()
        processes[id] = nil
        registry.update(id) { $0.usage.add(usage) }
        let samples = await authority.log.samples(readBy: id)
        registry.update(id) { $0.usage.samples = samples }
        await log(outcome, of: id, name)
        if !outcome.isOrdinary { await pool.renew() }
        return outcome
    }

    /// A process for a run, if the limits of all runs together permit another one.
    private func runner(
        for budget: RunBudget, opensPage: Bool, isInsecure: Bool
    ) async throws -> RunnerProcess {
        if let refusal = together.refusal(with: processes.count + starting) { throw refusal }
        starting += 1
        defer { starting -= 1 }
        return isInsecure
            ? try await RunnerProcess.startUnconfined(path: runnerPath, zone: zone)
            : try await pool.runner(for: budget, opensPage: opensPage)
    }

    /// Checks, while there are processes, the limits of all runs together.
    private func shareBudget() {
        guard sharing == nil else { return }
        sharing = Task {
            while !Task.isCancelled, !processes.isEmpty {
                let loads = processes.compactMap { id, process in
                    process.run.load(id, beyond: process.memory)
                }
                for action in together.check(loads, at: .now) { await perform(action) }
                try? await Task.sleep(for: together.interval)
            }
            sharing = nil
        }
    }

    private func perform(_ action: SharedBudget.Action) async {
        switch action {
        case .end(let run):
            guard let process = processes[run] else { return }
            let app = registry.report(run)?.app ?? ""
            logger.warning(
                "\(app) was ended: all apps together used too much memory",
                metadata: ["run": "\(run)"])
            await process.run.exceedTotalMemory()
        case .yield(let run):
            processes[run]?.run.yieldProcessor()
        }
    }

    private func note(_ event: RunEvent, of id: String) {
        registry.note(event, at: time.now(), of: id)
    }

    /// Keeps the token of a run valid until cancelled.
    private func renewToken(of id: String) async {
        while (try? await Task.sleep(for: .seconds(600))) != nil {
            try? await authority.renewRun(id)
        }
    }

    /// Notes in the access log how a process of a run ended.
    private func log(_ outcome: RunOutcome, of id: String, _ app: String) async {
        let log = authority.log
        switch outcome {
        case .exceeded, .sandboxViolation, .protocolViolation:
            await log.note(.violation(of: app, run: id, what: outcome.name))
        default: break
        }
        await log.note(.runEnded(of: app, run: id, outcome: outcome.name))
    }

    @discardableResult
    private func finish(_ id: String, _ outcome: RunOutcome) async throws -> RunReport {
        guard let report = registry.finish(id, outcome, at: now) else {
            throw AppRunsError.noRun(id)
        }
        // Runs that end because the host stops stay in the list, and the next host restarts them.
        if !isClosed {
            changeBackground { list throws(AppRunsError) in try list.remove(id) }
        }
        try? await authority.endRun(id)
        do {
            try history.add(report)
        } catch {
            logger.error("\(error.message)")
        }
        return report
    }

    private func changeBackground(
        _ change: (inout BackgroundRunList) throws(AppRunsError) -> Void
    ) {
        do {
            try change(&background)
        } catch {
            logger.error("\(error.message)")
        }
    }

    /// Forgets runs that were prepared long ago, with the decisions for them.
    private func forgetUnstarted() async {
        let forgotten = registry.forgetUnstarted(at: now) { work[$0] != nil }
        for id in forgotten { try? await authority.endRun(id) }
    }
}
