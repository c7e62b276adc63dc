import CProcess
import Foundation
import Glibc

/// Waits for descriptors on a thread of its own.
///
/// With read sources of Dispatch, tests ended in a fault inside that library while pipes and terminals hung
/// up; why was not found. A thread with poll(2) does what is needed.
enum DescriptorWatch {
    /// What is to be done after a step.
    enum Next {
        case goOn
        /// This descriptor is not looked at any more.
        case leave
        /// None is.
        case finish
    }

    struct Entry: Sendable {
        let descriptor: Int32
        /// Called when it can be read, also at its end; reads without waiting.
        let step: @Sendable () -> Next
    }

    /// Takes steps, one after the other, until one finishes or the task is cancelled.
    ///
    /// None is under way when this returns, so the descriptors may then be closed.
    ///
    /// - Throws: ``ConnectorError`` when this process has no descriptor left; `CancellationError`.
    static func wait(for entries: [Entry]) async throws {
        let (ended, end) = try OwnedDescriptor.pipe()
        let isFinished = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: run(entries, until: ended))
                }
            }
        } onCancel: {
            _ = write(end.number, [1], 1)
        }
        guard isFinished else { throw CancellationError() }
    }

    private static func run(_ entries: [Entry], until ended: OwnedDescriptor) -> Bool {
        let numbers = entries.map(\.descriptor) + [ended.number]
        var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            guard polled[entries.count].revents == 0 else { return false }
            for (index, entry) in entries.enumerated() where polled[index].revents != 0 {
                switch entry.step() {
                case .goOn: break
                // poll(2) passes over negative numbers.
                case .leave: polled[index].fd = -1
                case .finish: return true
                }
            }
        }
    }
}
