import AppRuns
import Auth
import Foundation
import Glibc
import JSApps
import Samples
import Simulation
import VM

/// Where the tests of one app run: a copy of the app as it would be installed, and an empty data
/// directory for each test.
///
/// It is gone afterwards; nothing of the person's own is read or changed.
struct TestLab: Sendable {
    /// The longest that one test may take, of the machine's time.
    private static let patience = Duration.seconds(60)

    let app: InstalledApp
    private let apps: URL
    private let root: String
    private let options: GlobalOptions
    private let pool: RunnerPool

    /// What the sensors of a test show.
    enum Sensors: Sendable {
        case simulated(Scenario.Kind)
        case recorded(Trace)
    }

    /// How one test is run.
    struct Settings: Sendable {
        var sensors = Sensors.simulated(.room)
        var seed: UInt64 = 1
        var filter: String?
        /// How much time may pass in a test.
        var limit = Duration.seconds(86_400)
    }

    /// One test as it ended.
    struct Ended: Sendable {
        /// `nil` when the test's file got no further than its first faults.
        let report: TestReport?
        let run: RunReport
        let result: TestResult
        let console: [TestResult.Line]
    }

    /// Opens a lab for an app and gives it to `body`: for one that is installed, or for a copy of that of
    /// a folder, which is installed in a place of its own.
    static func with<T: Sendable>(
        _ word: String, isFolder: Bool = true, _ options: GlobalOptions,
        _ body: (TestLab) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let apps = isFolder ? URL(filePath: "\(root)/apps") : options.paths.apps
        let library = try await AppLibrary.open(
            at: apps, limits: options.configuration.packages, unpacker: Unpacker(program: nil))
        let app =
            isFolder
            ? try await library.install(from: URL(filePath: word).standardizedFileURL)
            : try await library.app(named: word)
        let pool = RunnerPool(path: try CompanionProgram.runner.path(), keepsSpare: false)
        let lab = TestLab(app: app, apps: apps, root: root, options: options, pool: pool)
        do {
            let result = try await body(lab)
            await pool.close()
            // Installed folders are read-only; the library knows how to remove them.
            if isFolder { try await library.uninstall(app.name.text) }
            return result
        } catch {
            await pool.close()
            if isFolder { try? await library.uninstall(app.name.text) }
            throw error
        }
    }

    /// Runs one test of a file in a host of its own, or finds that there is none at this place.
    func run(
        _ index: Int, of file: (name: String, source: String), _ settings: Settings
    ) async throws -> Ended {
        try await withHost(settings) { host in
            let prepared = try await host.services.supervisor.prepare(app: app.name.text)
            try await host.allow(app.manifest.privileges.map(\.id), app, run: prepared.id)
            let bench = host.bench(of: app.manifest, run: prepared.id)
            let run = try await host.services.supervisor.run(
                prepared.id,
                // What is due when the time is up belongs to it.
                presentation: RunPresentation(lifetime: settings.limit + .milliseconds(1)),
                harness: TestHarness(of: file, index: index, filter: settings.filter)
            ) { event in await bench.note(event) }
            return Ended(
                report: await bench.report, run: run, result: await bench.result,
                console: await bench.console)
        }
    }

    /// Makes a host on the sensors of some settings, and ends it when `body` has.
    ///
    /// - Parameter hasAll: whether every sensor is there, also those that the app does not declare.
    func withHost<T: Sendable>(
        _ settings: Settings, hasAll: Bool = false, _ body: (TestHost) async throws -> T
    ) async throws -> T {
        let (drivers, stage, start, past) = sensors(settings, hasAll: hasAll)
        let box = BenchBox()
        let setup = VirtualSetup(
            clock: VirtualClock(start: start), drivers: drivers, seed: settings.seed, past: past,
            apps: apps, pool: pool, patience: Self.patience
        ) { TestConnection(api: $0) { box.bench } }
        let data = "\(root)/data"
        defer { try? FileManager.default.removeItem(atPath: data) }
        let services = try await HostServices(
            paths: HostPaths(option: data, environment: ProcessInfo.processInfo.environment),
            roots: options.roots, isLasting: false, setup: setup, logger: options.logger)
        let host = TestHost(services: services, stage: stage, clock: setup.clock, box: box)
        do {
            let result = try await body(host)
            await services.close()
            return result
        } catch {
            await services.close()
            throw error
        }
    }

    private func sensors(
        _ settings: Settings, hasAll: Bool
    ) -> (drivers: [any SensorDriver], stage: Stage?, start: Timestamp, past: Timestamp) {
        switch settings.sensors {
        case .simulated(let kind):
            let stage = Stage(Scenario(kind, seed: settings.seed))
            return (
                [SimulatedDriver(stage, only: simulated(hasAll: hasAll))], stage, stage.start,
                stage.start
            )
        case .recorded(let trace):
            return ([RecordedDriver(trace.recordings)], nil, trace.first, trace.start)
        }
    }

    /// The sensors that are simulated; what the app writes it publishes itself.
    private func simulated(hasAll: Bool) -> Set<SensorID> {
        let declared = app.manifest.privileges.map(\.id)
        let written = declared.filter { $0.access == .write }.compactMap(\.sensor)
        let isOpen = hasAll || app.generation.isPublished
        return Set(
            SimulatedDriver.sensors.filter { id in
                !written.contains(id)
                    && (isOpen || declared.contains { $0.sensor?.covers(id) ?? false })
            })
    }
}
