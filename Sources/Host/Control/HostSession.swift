import Foundation
import Glibc
import Logging
import ServiceLifecycle
import VM

/// The host that a command speaks to: the one that runs, or one of its own for as long as it needs.
struct HostSession: Sendable {
    let client: ControlClient
    /// Whether the host is this process.
    let isOwn: Bool

    /// Runs `body` with a host.
    ///
    /// - Parameter collects: whether a host of its own reads the sensors meanwhile.
    static func with<T: Sendable>(
        _ options: GlobalOptions, collects: Bool = false,
        _ body: @Sendable (HostSession) async throws -> T
    ) async throws -> T {
        let paths = options.paths
        let client = ControlClient(socket: paths.controlSocket)
        do {
            let result: T
            if isListening(paths.controlSocket) {
                result = try await body(HostSession(client: client, isOwn: false))
            } else {
                result = try await withOwn(options, collects: collects) {
                    try await body(HostSession(client: client, isOwn: true))
                }
            }
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    private static func withOwn<T: Sendable>(
        _ options: GlobalOptions, collects: Bool, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        let services = try await HostServices(
            paths: options.paths, roots: options.roots, logger: options.logger)
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        let group = try services.group(collects: collects, tcpPort: nil) { _ in signal.finish() }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { signal.finish() }
                try await group.run()
            }
            for await _ in ready {}
            let result: T
            do {
                result = try await body()
            } catch {
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }

    /// Whether somebody answers at the socket; a file left by a host that died does not.
    private static func isListening(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
