import Foundation
import Synchronization

/// Serialises all output to the standard streams of this process.
///
/// While a prompt is shown, output to a terminal is buffered until it is answered, so that nothing
/// moves, hides or imitates the prompt. The buffer is bounded: what exceeds it is dropped and
/// counted. Output to files and pipes is never buffered.
package final class OutputGate: Sendable {
    /// The gate of the standard streams.
    package static let standard = OutputGate()

    private static let waitingLimit = 256 << 10

    private struct State {
        var isHeld = false
        var waiting: [(descriptor: Int32, bytes: [UInt8])] = []
        var waitingBytes = 0
        var dropped = 0
        /// Prompts that wait for the current one.
        var waitingPrompts: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Writes now, or when the current prompt is answered.
    package func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        // Inside the lock, so that no write is in progress when a prompt begins.
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

    /// Takes the terminal until `release()`; waits while another prompt has it.
    package func hold() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isHeld {
                    state.waitingPrompts.append(continuation)
                    return false
                }
                state.isHeld = true
                return true
            }
            if isFirst { continuation.resume() }
        }
    }

    /// Writes the buffered output, and gives the terminal to the next prompt.
    package func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            for (descriptor, bytes) in state.waiting { Self.write(bytes, to: descriptor) }
            if state.dropped > 0 {
                let notice = "Output was dropped during the prompt (\(state.dropped) writes).\n"
                Self.write(Array(notice.utf8), to: state.waiting.last?.descriptor ?? 2)
            }
            let next = state.waitingPrompts.isEmpty ? nil : state.waitingPrompts.removeFirst()
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
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another program has made the terminal or pipe non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
