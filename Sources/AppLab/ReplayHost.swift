import Foundation
import Glibc
package import Host
import JSApps
import Samples
import Simulation

/// A host for one command that replays a trace instead of reading the machine's sensors.
///
/// Its data directory is temporary. Installed apps are run from the owner's data directory.
package enum ReplayHost {
    package static func with<T: Sendable>(
        _ trace: Trace, speed: VirtualSetup.Speed, usesInstalled: Bool, _ options: HostOptions,
        _ body: @Sendable (HostSession) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let setup = VirtualSetup(
            clock: VirtualClock(start: trace.replayStart),
            drivers: [RecordedDriver(trace.recordings)], seed: 1, historyStart: trace.start,
            speed: speed, apps: usesInstalled ? options.paths.apps : nil)
        let services = try await HostServices(
            paths: HostPaths(
                option: "\(root)/data", environment: ProcessInfo.processInfo.environment),
            roots: options.roots, isLongRunning: false, setup: setup, logger: options.logger)
        let result: Result<T, any Error>
        do {
            result = .success(try await HostSession.with(services, collects: false, body))
        } catch {
            result = .failure(error)
        }
        // The folders of apps installed in the temporary directory are read-only: `folder.remove()` cannot
        // remove them, the library can.
        if !usesInstalled {
            for app in (try? await services.library.apps()) ?? [] {
                try? await services.library.uninstall(app.name.text)
            }
        }
        return try result.get()
    }
}

/// A temporary folder, accessible to its owner only.
package struct TemporaryFolder {
    package let path: String

    /// - Throws: `CommandFailure` if it cannot be created.
    package init() throws {
        var template = Array(
            "\(FileManager.default.temporaryDirectory.path)/nervous-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .cannotCreate, "Cannot create a temporary folder.",
                hint: "Set TMPDIR to a folder that you can write to.")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes it with its contents, except the contents of read-only folders.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
