package import API
import Foundation
import Glibc
import Logging
import Provider
import Scheduling
import ServiceLifecycle
import VM

/// A command's connection to a host: the running one, or one that the command starts for itself.
///
/// ```swift
/// try await HostSession.with(options) { session in
///     print(try await session.client.status().value.version)
/// }
/// ```
package struct HostSession: Sendable {
    package let client: APIClient
    /// Whether the host runs in this process.
    package let isOwn: Bool
    /// Ctrl-C and SIGTERM during the session.
    package let interruptions = Interruptions()

    /// Runs `body` with a host.
    ///
    /// - Parameter collects: whether a host that this command starts collects samples meanwhile; other
    ///   commands can then reach this host.
    package static func with<T: Sendable>(
        _ options: HostOptions, collects: Bool = false,
        _ body: @Sendable (HostSession) async throws -> T
    ) async throws -> T {
        let paths = options.paths
        var wait = UnlockWait(data: paths.data)
        while true {
            if try isListening(paths.controlSocket) {
                return try await ControlTransport.with(socket: paths.controlSocket) { client in
                    try await body(HostSession(client: client, isOwn: false))
                }
            }
            do {
                let services = try await HostServices(
                    paths: paths, roots: options.roots, isLongRunning: false, logger: options.logger
                )
                return try await with(services, collects: collects, body)
            } catch let error as VirtualMachineError where error.code == .alreadyRunning {
                try await wait.pause(after: error)
            }
        }
    }

    /// Runs `body` with the running host, for callers that must neither start a host nor wait for a slow
    /// one.
    ///
    /// - Returns: `nil` if no host runs, if it does not answer in time, or if `body` fails.
    package static func ifRunning<T: Sendable>(
        _ paths: HostPaths, within limit: Duration,
        _ body: @escaping @Sendable (APIClient) async throws -> T
    ) async -> T? {
        guard (try? isListening(paths.controlSocket)) == true else { return nil }
        return try? await withTimeLimit(limit, throwing: CancellationError()) {
            try await ControlTransport.with(socket: paths.controlSocket, body)
        }
    }

    /// The services of a long-running host; waits for a command's own host to unlock the data
    /// directory.
    ///
    /// - Parameter flush: as for ``HostServices``.
    /// - Throws: `alreadyRunning` immediately if another host serves.
    package static func longRunningServices(
        _ options: HostOptions, flush: Duration? = nil
    ) async throws -> HostServices {
        let paths = options.paths
        var wait = UnlockWait(data: paths.data)
        while true {
            do {
                return try await HostServices(
                    paths: paths, roots: options.roots, isLongRunning: true, flush: flush,
                    logger: options.logger)
            } catch let error as VirtualMachineError
                where error.code == .alreadyRunning
                && (try? isListening(paths.controlSocket)) == false
            {
                try await wait.pause(after: error)
            }
        }
    }

    /// Runs `body` with a host in this process, and stops it afterwards.
    ///
    /// - Parameter tcp: the port on loopback; `nil` for none.
    package static func with<T: Sendable>(
        _ services: HostServices, collects: Bool, tcp: LoopbackPort? = nil,
        _ body: @Sendable (HostSession) async throws -> T
    ) async throws -> T {
        let socket = collects ? services.paths.controlSocket : services.paths.privateSocket
        defer { unlink(socket) }
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        let group = try services.group(collects: collects, socket: socket, tcp: tcp) { _ in
            signal.finish()
        }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { signal.finish() }
                try await group.run()
            }
            for await _ in ready {}
            let result: T
            do {
                result = try await ControlTransport.with(socket: socket) { client in
                    try await body(HostSession(client: client, isOwn: true))
                }
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

    /// Whether a host of this user accepts connections at the socket; a stale socket file does not.
    ///
    /// - Throws: `CommandFailure` if another user listens there, or could.
    package static func isListening(_ path: String) throws(CommandFailure) -> Bool {
        guard try RuntimeFolder(of: path).exists() else { return false }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return false }
        let peer = PeerCredentials(descriptor: descriptor)?.user ?? .max
        guard peer == geteuid() else { throw RuntimeFolder.foreign(peer: peer, at: path) }
        return true
    }
}

/// The wait for the hosts of other commands, which lock the data directory one after another.
private struct UnlockWait {
    /// How long one process may have the lock.
    private static let timeLimit = Duration.seconds(20)
    /// A longer wait is announced at a terminal.
    private static let silentTime = Duration.seconds(2)
    private static let retryInterval = Duration.milliseconds(50)

    private let data: String
    private let start = ContinuousClock.now
    private var holder: Int32?
    private var holderStart = ContinuousClock.now
    private var isAnnounced = false

    init(data: String) {
        self.data = data
    }

    /// Sleeps before the next attempt.
    ///
    /// - Throws: `error` if the same process has had the lock for too long.
    mutating func pause(after error: VirtualMachineError) async throws {
        let now = ContinuousClock.now
        if error.holder != holder { (holder, holderStart) = (error.holder, now) }
        guard now - holderStart < Self.timeLimit else { throw error }
        if !isAnnounced, now - start >= Self.silentTime, isatty(STDERR_FILENO) == 1 {
            let name = holder.map { "process \($0)" } ?? "another process"
            OutputGate.standard.write("Waiting for \(name), which uses \(data)…\n", to: 2)
            isAnnounced = true
        }
        try await Task.sleep(for: Self.retryInterval)
    }
}
