import CProcess
import Foundation
import Glibc

/// Waits for file descriptors with poll(2) on a separate thread.
///
/// Dispatch's read sources crashed in tests when pipes and terminals hung up.
enum DescriptorWatch {
    /// What to do after a step.
    enum Next {
        case goOn
        /// Stop watching this descriptor.
        case leave
        /// Stop watching all descriptors.
        case finish
    }

    struct Entry: Sendable {
        let descriptor: Int32
        /// Called when the descriptor is readable or at its end; must not block.
        let step: @Sendable () -> Next
    }

    /// Runs the steps of readable descriptors until one finishes or the task is cancelled.
    ///
    /// No step is running when this returns, so the descriptors may be closed.
    ///
    /// - Throws: ``ConnectorError`` if no descriptor is available; `CancellationError`.
    static func wait(for entries: [Entry]) async throws {
        let (stopSignal, stop) = try OwnedDescriptor.pipe()
        let isFinished = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: run(entries, until: stopSignal))
                }
            }
        } onCancel: {
            _ = write(stop.number, [1], 1)
        }
        guard isFinished else { throw CancellationError() }
    }

    private static func run(_ entries: [Entry], until stopSignal: OwnedDescriptor) -> Bool {
        let numbers = entries.map(\.descriptor) + [stopSignal.number]
        var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            guard polled[entries.count].revents == 0 else { return false }
            for (index, entry) in entries.enumerated() where polled[index].revents != 0 {
                switch entry.step() {
                case .goOn: break
                // poll(2) ignores negative numbers.
                case .leave: polled[index].fd = -1
                case .finish: return true
                }
            }
        }
    }
}

/// A file descriptor that is closed on deinitialisation.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit { close(number) }

    /// Creates a pipe; its read end is non-blocking.
    static func pipe() throws(ConnectorError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&ends)
        guard failure == 0 else {
            throw ConnectorError("No pipe available: \(String(cString: strerror(failure))).")
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// The result of a non-blocking read.
    enum Piece: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing is available now.
        case nothing
        /// The other side has closed; `error` is the `errno` of read(2), 0 if it did not fail.
        case end(error: Int32)
    }

    /// Reads at most 4096 available bytes; the descriptor must be non-blocking.
    func read() -> Piece {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 { return .bytes(buffer[..<count]) }
            guard count < 0 else { return .end(error: 0) }
            let error = errno
            if error == EAGAIN { return .nothing }
            if error != EINTR { return .end(error: error) }
        }
    }

    /// An entry that forwards available bytes, and returns `atEnd` at the end of the input.
    func watched(
        atEnd: DescriptorWatch.Next, _ body: @escaping @Sendable (ArraySlice<UInt8>) -> Void
    ) -> DescriptorWatch.Entry {
        DescriptorWatch.Entry(descriptor: number) {
            switch self.read() {
            case .bytes(let bytes): body(bytes)
            case .nothing: break
            case .end: return atEnd
            }
            return .goOn
        }
    }
}
