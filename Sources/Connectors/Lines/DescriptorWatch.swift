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

/// A descriptor that is closed with the last who holds it.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit { close(number) }

    /// A pipe: the end to read from, which does not wait, and the other.
    static func pipe() throws(ConnectorError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&ends)
        guard failure == 0 else {
            throw ConnectorError("There is no pipe: \(String(cString: strerror(failure))).")
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// What a read without waiting gave.
    enum Piece: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing is there now.
        case nothing
        /// The other side has gone; `error` is that of read(2), 0 where there was none.
        case end(error: Int32)
    }

    /// Reads what is there, at most 4096 bytes; the descriptor must be one that does not wait.
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

    /// Hands on what comes, and then does what is due at the end.
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
