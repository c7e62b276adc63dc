import AppStorage
import Auth
import DBus
import Logging
import ServiceLifecycle

/// Shows on the person's desktop what they are told at once, where there is one.
struct DesktopService: Service {
    let board: NoticeBoard
    /// `nil` where there is no session bus.
    let desktop: DesktopMessages?
    let logger: Logger

    func run() async throws {
        guard let desktop else {
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            // Also what was told while the rest of the host began.
            let (notices, watcher) = await board.watch(after: 0)
            for await notice in notices { await show(notice, on: desktop) }
            await board.unwatch(watcher)
        }
    }

    private func show(_ notice: Notice, on desktop: DesktopMessages) async {
        do throws(DesktopError) {
            switch notice.content {
            case .message(let message):
                // The app's name is the host's word, and stands before all that is the app's.
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
