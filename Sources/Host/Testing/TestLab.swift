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

    /// Installs the app of a folder in a place of its own and gives it to `body`.
    static func with<T: Sendable>(
        _ folder: String, _ options: GlobalOptions, _ body: (TestLab) async throws -> T
    ) async throws -> T {
        var template = Array(
            "\(FileManager.default.temporaryDirectory.path)/nervous-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .cannotCreate, "No temporary folder can be made.",
                hint: "Set TMPDIR to a folder of yours.")
        }
        let root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let library = try await AppLibrary.open(
            at: URL(filePath: "\(root)/apps"), limits: options.configuration.packages,
            unpacker: Unpacker(program: nil))
        let app = try await library.install(from: URL(filePath: folder).standardizedFileURL)
        let pool = RunnerPool(path: try CompanionProgram.runner.path(), keepsSpare: false)
        do {
            let result = try await body(TestLab(app: app, root: root, options: options, pool: pool))
            await pool.close()
            // Installed folders are read-only; the library knows how to remove them.
            try await library.uninstall(app.name.text)
            return result
        } catch {
            await pool.close()
            try? await library.uninstall(app.name.text)
            throw error
        }
    }

    /// Runs one test of a file in a host of its own, or finds that there is none at this place.
    func run(
        _ index: Int, of file: (name: String, source: String), _ settings: Settings
    ) async throws -> Ended {
        let (drivers, stage, start, past) = sensors(settings)
        let bench = BenchBox()
        let setup = VirtualSetup(
            clock: VirtualClock(start: start), drivers: drivers, seed: settings.seed, past: past,
            apps: URL(filePath: "\(root)/apps"), pool: pool, patience: Self.patience
        ) { TestConnection(api: $0) { bench.bench } }
        let data = "\(root)/data"
        defer { try? FileManager.default.removeItem(atPath: data) }
        let services = try await HostServices(
            paths: HostPaths(option: data, environment: ProcessInfo.processInfo.environment),
            roots: options.roots, isLasting: false, setup: setup, logger: options.logger)
        do {
            let ended = try await run(
                index, of: file, settings, services, stage, setup.clock, bench)
            await services.close()
            return ended
        } catch {
            await services.close()
            throw error
        }
    }

    private func run(
        _ index: Int, of file: (name: String, source: String), _ settings: Settings,
        _ services: HostServices, _ stage: Stage?, _ clock: VirtualClock, _ box: BenchBox
    ) async throws -> Ended {
        let name = app.name.text
        let prepared = try await services.supervisor.prepare(app: name)
        let policy = await services.authority.policy
        for privilege in app.manifest.privileges
        where privilege.id.isGivable && policy.restriction(of: privilege.id) == nil {
            try await services.authority.decide(
                .allowOnce, on: privilege.id, by: name, run: prepared.id)
        }
        let bench = TestBench(
            stage: stage, clock: clock, machine: services.machine, authority: services.authority,
            app: app.manifest, run: prepared.id)
        box.bench = bench
        let run = try await services.supervisor.run(
            prepared.id, presentation: RunPresentation(lifetime: settings.limit),
            rehearsal: Rehearsal(of: file, index: index, filter: settings.filter)
        ) { event in await bench.note(event) }
        return Ended(
            report: await bench.report, run: run, result: await bench.result,
            console: await bench.console)
    }

    private func sensors(
        _ settings: Settings
    ) -> (drivers: [any SensorDriver], stage: Stage?, start: Timestamp, past: Timestamp) {
        switch settings.sensors {
        case .simulated(let kind):
            let stage = Stage(Scenario(kind, seed: settings.seed))
            return ([SimulatedDriver(stage, only: simulated)], stage, stage.start, stage.start)
        case .recorded(let trace):
            return ([RecordedDriver(trace.recordings)], nil, trace.first, trace.start)
        }
    }

    /// The sensors that the app could read; `nil` for all, where it does not say.
    private var simulated: Set<SensorID>? {
        guard !app.generation.isPublished else { return nil }
        let declared = app.manifest.privileges.map(\.id)
        let written = declared.filter { $0.access == .write }.compactMap(\.sensor)
        return Set(
            SimulatedDriver.sensors.filter { id in
                !written.contains(id)
                    && declared.contains { $0.sensor?.covers(id) ?? false }
            })
    }
}
