import AppRuns
import Synchronization
import TestSupport

/// A connection to the host whose streams are interrupted: each after a random number
/// of bytes, also in the middle of an event.
final class BreakingConnection: HostConnection {
    private struct Broken: Error {}

    private let whole: any HostConnection
    private let bytes: ClosedRange<Int>
    private let state: Mutex<(random: SplitMix, breaks: Int)>

    /// - Parameters:
    ///   - breaks: the number of streams that are interrupted; later ones are complete.
    ///   - bytes: the range of the random number of bytes after which a stream is interrupted.
    init(_ whole: any HostConnection, breaks: Int, bytes: ClosedRange<Int>, seed: UInt64 = 0) {
        self.whole = whole
        self.bytes = bytes
        state = Mutex((SplitMix(state: seed), breaks))
    }

    /// How many more streams are interrupted.
    var breaksLeft: Int { state.withLock { $0.breaks } }

    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        guard call.target.contains("/stream?"), let limit = nextLimit() else {
            return try await whole.send(call, receive: receive)
        }
        let room = Mutex(limit)
        try await whole.send(call) { part in
            guard case .body(let bytes) = part else { return try await receive(part) }
            let (taken, isBroken) = room.withLock { room in
                defer { room -= bytes.count }
                return (bytes.prefix(max(0, room)), bytes.count > room)
            }
            if !taken.isEmpty { try await receive(.body(Array(taken))) }
            if isBroken { throw Broken() }
        }
    }

    private func nextLimit() -> Int? {
        state.withLock { state in
            guard state.breaks > 0 else { return nil }
            state.breaks -= 1
            return Int.random(in: bytes, using: &state.random)
        }
    }
}
