import Foundation
import Synchronization

/// The one way to the standard streams of this process.
///
/// While a question stands before the person, what would go to a terminal waits until it is
/// answered, so that nothing moves, hides or imitates the question. What waits is bounded: beyond
/// that it is dropped and counted. Files and pipes wait for nothing.
final class OutputGate: Sendable {
    /// That of this process, which has its streams once.
    static let standard = OutputGate()

    private static let waitingLimit = 256 << 10

    private struct State {
        var isHeld = false
        var waiting: [(descriptor: Int32, bytes: [UInt8])] = []
        var waitingBytes = 0
        var dropped = 0
        /// Those who want to ask next.
        var askers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Writes now, or when the question that stands is answered.
    func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        // Inside the lock, so that no writer is half-way when a question begins.
        state.withLock { state in
            guard state.isHeld, isatty(descriptor) == 1 else {
                return Self.write(bytes, to: descriptor)
            }
            guard state.waitingBytes + bytes.count <= Self.waitingLimit else {
                state.dropped += 1
                return
            }
            state.waiting.append((descriptor, bytes))
            state.waitingBytes += bytes.count
        }
    }

    /// Keeps everybody else from the terminal until `release`; waits while another question stands.
    func hold() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isHeld {
                    state.askers.append(continuation)
                    return false
                }
                state.isHeld = true
                return true
            }
            if isFirst { continuation.resume() }
        }
    }

    /// Writes what has waited, and lets the next question stand.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            for (descriptor, bytes) in state.waiting { Self.write(bytes, to: descriptor) }
            if state.dropped > 0 {
                let notice = "\(state.dropped) lines came while you were asked and are not shown.\n"
                Self.write(Array(notice.utf8), to: state.waiting.last?.descriptor ?? 2)
            }
            let next = state.askers.isEmpty ? nil : state.askers.removeFirst()
            state.waiting = []
            (state.waitingBytes, state.dropped, state.isHeld) = (0, 0, next != nil)
            return next
        }
        next?.resume()
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
