import Alerts
import AppRuns
import AppStorage
import Auth
import DBus
import Egress
import JSApps
import Logging
import Provider
import RunnerProtocol
import Sealing
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
    /// Whether the start and the stop of the host are logged; not for a host that serves a single command.
    let isLongRunning: Bool

    func run() async throws {
        if isLongRunning { await authority.log.note(.hostStarted(version: Release.version)) }
        await cancelWhenGracefulShutdown { await authority.run() }
        if isLongRunning { await authority.log.note(.hostStopped) }
    }
}

/// Locks the owner's key when its lease ends, and on shutdown.
struct LockService: Service {
    let lock: OwnerLock

    func run() async throws {
        await cancelWhenGracefulShutdown { await lock.run() }
    }
}

/// Retries the uploads of the outbox.
struct OutboxService: Service {
    let outbox: Outbox

    func run() async throws {
        await cancelWhenGracefulShutdown { await outbox.run() }
    }
}

/// Evaluates alert rules and makes their deliveries.
struct AlertService: Service {
    let engine: AlertEngine

    func run() async throws {
        await cancelWhenGracefulShutdown { await engine.run() }
    }
}

/// Publishes granted sensors for Home Assistant.
struct HomeAssistantService: Service {
    let publisher: HomeAssistantPublisher

    func run() async throws {
        await cancelWhenGracefulShutdown { await publisher.run() }
    }
}

/// Resumes the background runs of the previous host, and ends all runs on shutdown.
struct RunService: Service {
    let supervisor: RunSupervisor
    /// Whether background runs are resumed; not by a host that serves a single command.
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
            case .alert(let title, let body, let rule):
                try await desktop.show(
                    summary: title, body: body, tag: "alert \(rule)")
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
