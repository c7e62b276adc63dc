import NIOCore
import Synchronization

/// Closes a channel from anywhere, also while it is being connected.
final class ChannelDoor: Sendable {
    private struct State: Sendable {
        var channel: (any Channel)?
        var isClosed = false
    }

    private let state = Mutex(State())

    func hold(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            state.channel = channel
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}
