import Foundation
import Glibc
import JSApps
import Samples
import Simulation

/// A host on a trace in the place of this machine's sensors, for one command.
///
/// Its data directory is empty and gone afterwards. Apps that are installed are run as they are.
enum ReplayHost {
    static func with<T: Sendable>(
        _ trace: Trace, speed: VirtualSetup.Speed, usesInstalled: Bool, _ options: GlobalOptions,
        _ body: @Sendable (HostSession) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let setup = VirtualSetup(
            clock: VirtualClock(start: trace.first), drivers: [RecordedDriver(trace.recordings)],
            seed: 1, past: trace.start, speed: speed, apps: usesInstalled ? options.paths.apps : nil
        )
        let services = try await HostServices(
            paths: HostPaths(
                option: "\(root)/data", environment: ProcessInfo.processInfo.environment),
            roots: options.roots, isLasting: false, setup: setup, logger: options.logger)
        let result = try await HostSession.with(services, collects: false, body)
        // Installed folders are read-only; the library knows how to remove them.
        if !usesInstalled {
            for app in try await services.library.apps() {
                try await services.library.uninstall(app.name.text)
            }
        }
        return result
    }
}
