import AppRuns
import AppStorage
import Auth
import DBus
import Egress
import Foundation
import Glibc
import JSApps
import Logging
import RunnerProtocol
import ServiceLifecycle
import VM

/// Collects samples, and on shutdown writes pending samples and closes the store.
struct StoreService: Service {
    let machine: VirtualMachine
    let collects: Bool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            if collects {
                await machine.collect()
            } else {
                try? await gracefulShutdown()
            }
        }
        await machine.close()
    }
}

/// Writes the access log.
struct AccessLogService: Service {
    let authority: Authority
    /// Whether start and stop are logged; those of a host for a single command are not.
    let isLongRunning: Bool

    func run() async throws {
        if isLongRunning { await authority.log.note(.hostStarted(version: Release.version)) }
        await cancelWhenGracefulShutdown { await authority.run() }
        if isLongRunning { await authority.log.note(.hostStopped) }
    }
}

/// Retries the uploads of the outbox.
struct OutboxService: Service {
    let outbox: Outbox

    func run() async throws {
        await cancelWhenGracefulShutdown { await outbox.run() }
    }
}

/// Resumes the background runs of the previous host, and ends all runs on shutdown.
struct RunService: Service {
    let supervisor: RunSupervisor
    /// Whether background runs are resumed; a host for a single command does not.
    let isLongRunning: Bool

    func run() async throws {
        if isLongRunning { await supervisor.resumeBackgroundRuns() }
        try? await gracefulShutdown()
        await supervisor.close()
    }
}

/// Shows notices on the owner's desktop, if there is one.
struct DesktopService: Service {
    let board: NoticeBoard
    /// `nil` without a session bus.
    let desktop: DesktopMessages?
    let logger: Logger

    func run() async throws {
        guard let desktop else {
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            // From 0: also notices from before this service started.
            let (notices, watcher) = await board.watch(after: 0)
            for await notice in notices { await show(notice, on: desktop) }
            await board.unwatch(watcher)
        }
    }

    private func show(_ notice: Notice, on desktop: DesktopMessages) async {
        do throws(DesktopError) {
            switch notice.content {
            case .message(let message):
                // The host writes the app's name, before any text that the app chose.
                try await desktop.show(
                    summary: "\(message.app): \(message.title)", body: message.body ?? "",
                    tag: message.tag.map { "\(message.app) \($0)" })
            case .refusal(let message, let operation):
                try await desktop.show(
                    summary: "Nervous refused a call", body: "\(message) (\(operation))",
                    tag: "refusal")
            }
        } catch {
            logger.info("\(error.message)")
        }
    }
}

/// Notifies systemd, as sd_notify(3) describes.
package enum SystemdNotifier {
    /// Reports that a service of `Type=notify` is ready; does nothing without `NOTIFY_SOCKET`.
    package static func ready() {
        guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !path.isEmpty else {
            return
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // The name of an abstract socket begins with a zero byte.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        let message = Array("READY=1".utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}
