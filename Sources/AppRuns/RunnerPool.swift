/// The time zone in which apps see dates.
///
/// ```swift
/// let zone = AppTimeZone(variable: "Europe/Zurich")
/// ```
public struct AppTimeZone: Hashable, Sendable {
    /// The time zone of the machine.
    public static let system = AppTimeZone(name: nil)
    /// UTC, whatever the time zone of the machine is.
    public static let utc = AppTimeZone(name: "UTC")

    private static let longestName = 64

    /// `nil` for the time zone of the machine, which the runner looks up.
    private let name: String?

    private init(name: String?) {
        self.name = name
    }

    /// The zone that the environment variable `TZ` names.
    ///
    /// - Parameters:
    ///   - variable: the value of `TZ`, the name or the path of a zone; an empty one means UTC. `nil` if `TZ`
    ///     is not set.
    ///   - standard: the zone if `TZ` is not set, or if its value cannot be the name of a zone.
    public init(variable: String?, otherwise standard: AppTimeZone = .system) {
        guard var text = variable?[...] else {
            self = standard
            return
        }
        if text.hasPrefix(":") { text = text.dropFirst() }
        if let folder = text.firstRange(of: "zoneinfo/") { text = text[folder.upperBound...] }
        guard !text.isEmpty else {
            self = .utc
            return
        }
        let isName =
            text.utf8.count <= Self.longestName && !text.hasPrefix("/")
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                    UInt8(ascii: "-"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
        self = isName ? AppTimeZone(name: String(text)) : standard
    }

    /// The environment of a runner.
    var environment: [String] { name.map { ["TZ=\($0)"] } ?? [] }
}

/// Makes the processes that apps run in, and keeps a spare one ready.
///
/// All runners of one zygote have the same memory layout. After a suspicious end, the next runners
/// come from a new zygote, so that the layout cannot be learned by repeated crashes.
///
/// ```swift
/// let pool = RunnerPool(path: "/usr/libexec/nervous-runner", keepsSpare: false)
/// defer { await pool.close() }
/// ```
public actor RunnerPool {
    /// The delay before a new spare is made, so that it does not slow down the app's start.
    private static let refillDelay = Duration.milliseconds(250)

    /// The process that waits for the next app.
    private(set) var spare: RunnerProcess?

    private let path: String
    private let keepsSpare: Bool
    private let zone: AppTimeZone
    /// What every zygote loads before it forks a runner; the libraries not before the first page.
    private let libraries: RunLibraries
    private let scripts: [RunScript]
    private let group: AppControlGroup?
    private var hasPages = false
    private var zygote: Task<Zygote, any Error>?
    private var refilling: Task<Void, Never>?
    private var renewals = 0
    private var isClosed = false

    /// - Parameters:
    ///   - path: the path of `nervous-runner`.
    ///   - keepsSpare: whether a process is kept ready for the next app, which takes memory.
    ///   - zone: the time zone of the apps.
    ///   - libraries: libraries that all runners share as soon as one of them opens a page.
    ///   - scripts: scripts that begin every run and are evaluated once for all runners.
    ///   - group: the control group of the processes.
    public init(
        path: String, keepsSpare: Bool, zone: AppTimeZone = .system,
        libraries: RunLibraries = RunLibraries(), scripts: [RunScript] = [],
        group: AppControlGroup? = nil
    ) {
        self.path = path
        self.zone = zone
        self.keepsSpare = keepsSpare
        self.libraries = libraries
        self.scripts = scripts
        self.group = group
    }

    /// A process that waits for an app.
    ///
    /// - Parameter opensPage: whether the app has a page.
    /// - Throws: `confinement` if the kernel lacks a layer, `io` if it cannot be started.
    func runner(
        for budget: RunBudget, opensPage: Bool = false
    ) async throws -> RunnerProcess {
        defer { refill() }
        if opensPage { await provideLibraries() }
        if budget.isOrdinaryProcess, let ready = spare {
            spare = nil
            if ready.isAlive { return ready }
        }
        return try await makeRunner(budget)
    }

    /// Loads the libraries in the zygote: the first page takes as long as without, and later ones share them.
    private func provideLibraries() async {
        guard !hasPages, !libraries.isEmpty else { return }
        hasPages = true
        // It has none of them.
        dropSpare()
        await (try? zygote?.value)?.provide(libraries)
    }

    /// Makes the spare process.
    func warmUp() {
        refill()
    }

    /// Makes the next runners from a new zygote; current runners continue.
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

    /// The zygote, started at the first call; concurrent calls share it.
    func current() async throws -> Zygote {
        if let known = zygote {
            if let zygote = try? await known.value, await zygote.acceptsRequests { return zygote }
            // Another call may have replaced it meanwhile.
            if zygote == known { zygote = nil }
        }
        guard !isClosed else { throw AppRunsError(.conflict, "The host is stopping.") }
        let (path, zone, scripts, group) = (path, zone, scripts, group)
        let libraries = hasPages ? libraries : RunLibraries()
        let shared =
            zygote
            ?? Task {
                let started = try await Zygote.start(path: path, zone: zone)
                // Before it forks the first runner.
                _ = group?.add(started.pid)
                await started.provide(libraries)
                await started.provide(scripts)
                return started
            }
        zygote = shared
        return try await shared.value
    }

    private func makeRunner(_ budget: RunBudget) async throws -> RunnerProcess {
        // The zygote may have been killed: try once more.
        for _ in 0..<2 {
            var before: Int
            repeat {
                before = renewals
                if let made = await attempt(budget, try await current()) { return made }
                // An attempt does not count if the zygote was replaced meanwhile.
            } while renewals != before
        }
        return try await current().makeRunner(budget)
    }

    /// - Returns: `nil` on failure; the zygote is then retired.
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
            try? await Task.sleep(for: Self.refillDelay)
            let before = renewals
            if !Task.isCancelled, let made = try? await makeRunner(RunBudget()) {
                // A runner of a retired zygote must not wait for an app.
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
