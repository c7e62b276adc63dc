package import API
import AppRuns
import Auth
import Foundation
import Glibc
package import Host
package import JSApps
import Provider
package import Samples
package import Simulation
import Synchronization
import VM

/// Runs an app in hosts with empty, temporary data directories.
///
/// An app given as a folder is installed temporarily; an installed app is run from the owner's folder
/// of apps. No other part of the owner's data directory is used.
///
/// ```swift
/// try await AppTester.with("./my-app", options) { tester in
///     let ended = try await tester.run(0, of: (name: "app.test.js", source: source), .init())
/// }
/// ```
package struct AppTester: Sendable {
    /// The longest real time of one test.
    ///
    /// Time limits of the app itself are in virtual time; this one is long enough that only a test that
    /// makes no progress exceeds it, even on a busy machine.
    private static let timeLimit = Duration.seconds(300)

    package let app: InstalledApp
    private let apps: URL
    private let root: String
    private let options: HostOptions
    private let pool: RunnerPool

    /// The source of the samples in a test.
    package enum Sensors: Sendable {
        case simulated(Scenario.Kind)
        case recorded(Trace)
    }

    /// How a test is run.
    package struct Settings: Sendable {
        package var sensors = Sensors.simulated(.room)
        /// Simulated instances, each in place of the sensor of its kind.
        package var instances: [SensorID] = []
        package var seed: UInt64 = 1
        package var filter: String?
        /// The longest virtual time of a test.
        package var limit = Duration.seconds(86_400)

        package init() {}
    }

    /// The outcome of one test.
    package struct Outcome: Sendable {
        /// `nil` if the test's file failed before a test started.
        package let report: TestReport?
        package let run: RunDescription
        package let result: TestResult
        package let console: [TestResult.Line]
    }

    /// Runs `body` with a tester for an installed app, or for the app of a folder, which is
    /// installed temporarily.
    package static func with<T: Sendable>(
        _ nameOrPath: String, isFolder: Bool = true, _ options: HostOptions,
        _ body: (AppTester) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let apps = isFolder ? URL(filePath: "\(root)/apps") : options.paths.apps
        let library = try await AppLibrary.open(
            at: apps, limits: options.configuration.packages,
            unpacker: ArchiveUnpacker(program: nil))
        let app =
            isFolder
            ? try await library.install(from: URL(filePath: nameOrPath).standardizedFileURL)
            : try await library.app(named: nameOrPath)
        let pool = RunnerPool(
            path: try CompanionProgram.runner.path(), keepsSpare: false,
            zone: AppTimeZone(
                variable: ProcessInfo.processInfo.environment["TZ"], otherwise: .utc))
        let tester = AppTester(app: app, apps: apps, root: root, options: options, pool: pool)
        do {
            let result = try await body(tester)
            await pool.close()
            // The folders of installed apps are read-only: `folder.remove()` cannot remove them, the
            // library can.
            if isFolder { try await library.uninstall(app.name.text) }
            return result
        } catch {
            await pool.close()
            if isFolder { try? await library.uninstall(app.name.text) }
            throw error
        }
    }

    /// Runs one test of a file in a host of its own.
    ///
    /// - Parameter index: the position of the test; if the file has no such test, the name in
    ///   `Outcome.report` is missing.
    package func run(
        _ index: Int, of file: (name: String, source: String), _ settings: Settings
    ) async throws -> Outcome {
        try await withHost(settings) { host in
            let prepared = try await host.services.supervisor.prepare(app: app.name.text)
            try await host.allow(app.manifest.privileges.map(\.id), app, run: prepared.id)
            let controller = host.controller(of: app.manifest, run: prepared.id)
            let run = try await host.services.supervisor.run(
                prepared.id,
                // The limit is inclusive.
                presentation: RunPresentation(lifetime: settings.limit + .milliseconds(1)),
                harness: TestHarness(of: file, index: index, filter: settings.filter)
            ) { event in await controller.record(event) }
            return Outcome(
                report: await controller.report, run: RunDescription(run),
                result: await controller.result,
                console: await controller.console)
        }
    }

    /// Runs `body` with a host whose sensors are given by the settings.
    ///
    /// - Parameter includesUndeclared: whether all sensors exist, including those that the app does not
    ///   declare.
    func withHost<T: Sendable>(
        _ settings: Settings, includesUndeclared: Bool = false, _ body: (TestHost) async throws -> T
    ) async throws -> T {
        let (drivers, simulation, start, past) = sensors(
            settings, includesUndeclared: includesUndeclared)
        let box = TestControllerBox()
        let setup = VirtualSetup(
            clock: VirtualClock(start: start), drivers: drivers, seed: settings.seed,
            historyStart: past,
            apps: apps, pool: pool, timeLimit: Self.timeLimit
        ) { TestConnection(api: $0) { box.controller } }
        let data = "\(root)/data"
        defer { try? FileManager.default.removeItem(atPath: data) }
        let services = try await HostServices(
            paths: HostPaths(option: data, environment: ProcessInfo.processInfo.environment),
            roots: options.roots, isLongRunning: false, setup: setup, logger: options.logger)
        let host = TestHost(
            services: services, simulation: simulation, clock: setup.clock, box: box)
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
        _ settings: Settings, includesUndeclared: Bool
    ) -> (
        drivers: [any SensorDriver], simulation: SimulationState?, start: Timestamp,
        historyStart: Timestamp
    ) {
        switch settings.sensors {
        case .simulated(let kind):
            let simulation = SimulationState(
                Scenario(kind, seed: settings.seed), instances: settings.instances)
            let wanted = simulated(of: simulation.sensors, includesUndeclared: includesUndeclared)
            return (
                [SimulatedDriver(simulation, only: wanted)], simulation, simulation.start,
                simulation.start
            )
        case .recorded(let trace):
            return ([RecordedDriver(trace.recordings)], nil, trace.replayStart, trace.start)
        }
    }

    /// The sensors to simulate; those that the app publishes to are not.
    private func simulated(of sensors: [SensorID], includesUndeclared: Bool) -> Set<SensorID> {
        let declared = app.manifest.privileges.map(\.id)
        let written = declared.filter { $0.access == .write }.compactMap(\.sensor)
        let includesAll = includesUndeclared || app.generation.isPublished
        return Set(
            sensors.filter { id in
                !written.contains(id)
                    && (includesAll
                        || declared.contains { $0.sensor?.covers(id) ?? false })
            })
    }
}

/// A host for one run of an app, with simulated or recorded sensors.
struct TestHost: Sendable {
    let services: HostServices
    /// `nil` if the sensors were recorded.
    let simulation: SimulationState?
    let clock: VirtualClock
    let box: TestControllerBox

    /// Grants privileges for a run, except calls to servers, whose responses are not reproducible.
    func allow(_ privileges: [PrivilegeID], _ app: InstalledApp, run: String) async throws {
        let policy = await services.authority.permissions.policy
        for privilege in privileges
        where privilege.isGrantable && privilege.origin == nil
            && policy.restriction(of: privilege) == nil
        {
            try await services.authority.decide(
                .allowOnce, on: privilege, by: app.name.text, run: run)
        }
    }

    /// Attaches a controller to a run.
    func controller(of app: Manifest, run: String) -> TestController {
        let controller = TestController(
            simulation: simulation, clock: clock, machine: services.machine,
            authority: services.authority,
            app: app, run: run)
        box.controller = controller
        return controller
    }
}

/// Holds the controller of a run, which is created after the host's connection.
final class TestControllerBox: Sendable {
    private let held = Mutex<TestController?>(nil)

    var controller: TestController? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}

extension TestHarness {
    private struct Plan: Encodable {
        let index: Int
        let filter: String?

        private enum CodingKeys: CodingKey {
            case index, filter
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(index, forKey: .index)
            try container.encode(filter, forKey: .filter)
        }
    }

    /// One test of a file.
    init(of file: (name: String, source: String), index: Int, filter: String?) throws {
        let plan = String(
            decoding: try JSONEncoder.sorted.encode(Plan(index: index, filter: filter)),
            as: UTF8.self)
        // The wrapping call adds no line before the file, so that line numbers in errors are those of
        // the file.
        let body =
            Self.isModule(file.source)
            ? file.source
            : "nervousTests(function (test, assert, app, sensors, clock, permissions, health) {"
                + file.source + "\n});"
        self.init(
            scripts: [
                RunScript(name: "nervous:test", source: "\(Provider.testLibrary)(\(plan));"),
                RunScript(name: file.name, source: body),
            ], startPath: "\(TestController.path)/start")
    }

    /// Whether a file is a module, which cannot be the body of a function: a line begins with a
    /// declaration `import` or `export`.
    private static func isModule(_ source: String) -> Bool {
        // The call `import(…)` and the property `import.meta` are not declarations.
        let declaration = /(?:import|export)(?:\s*["'{*]|\s+[\w$])/
        return source.split(whereSeparator: \.isNewline).contains {
            $0.prefixMatch(of: declaration) != nil
        }
    }
}
