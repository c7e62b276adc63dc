import AsyncAlgorithms
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Runs `body`, and cancels it when `check`, which is called at intervals, throws.
///
/// - Throws: what `body` or `check` throws.
func whileChecking<T: Sendable>(
    every interval: Duration, _ check: @escaping @Sendable () async throws -> Void,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask(operation: body)
        group.addTask {
            while true {
                try await Task.sleep(for: interval)
                try await check()
            }
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

/// What the host receives for a client and passes on at the client's pace.
///
/// The work runs in a task of its own, because it begins before the response of the host and ends
/// after it: its head decides what the host answers. Each part that it sends waits until the client
/// has taken it. The task is cancelled when the relay is released before it was passed on.
///
/// ```swift
/// let relay = Relay<ResponseHead> { output in
///     try await client.send(request, to: output)
/// }
/// let head = try await relay.head()
/// return Response(status: .ok, body: ResponseBody { writer in try await relay.write(to: &writer) })
/// ```
actor Relay<Head: Sendable> {
    /// Where the work sends what it receives.
    struct Output: Sendable {
        fileprivate let parts: AsyncThrowingChannel<Part, any Error>

        /// Sends the head; call it once, before any piece.
        func send(_ head: Head) async throws {
            await parts.send(.head(head))
            try Task.checkCancellation()
        }

        /// Sends the next piece; returns after it was taken.
        func send(_ piece: ByteBuffer) async throws {
            await parts.send(.piece(piece))
            try Task.checkCancellation()
        }
    }

    fileprivate enum Part: Sendable {
        case head(Head)
        case piece(ByteBuffer)
    }

    /// The work ended without a head, or sent one twice.
    private struct MissingHead: Error {}

    private let parts: AsyncThrowingChannel<Part, any Error>
    private let work: Task<Void, Never>

    /// Begins the work.
    init(_ work: @escaping @Sendable (Output) async throws -> Void) {
        let parts = AsyncThrowingChannel<Part, any Error>()
        self.parts = parts
        self.work = Task {
            do {
                try await work(Output(parts: parts))
                parts.finish()
            } catch {
                parts.fail(error)
            }
        }
    }

    deinit {
        work.cancel()
    }

    /// Waits for the head.
    ///
    /// - Throws: what the work throws before it has sent a head.
    nonisolated func head() async throws -> Head {
        try await stoppingOnError {
            for try await part in parts {
                guard case .head(let head) = part else { break }
                return head
            }
            try Task.checkCancellation()
            throw MissingHead()
        }
    }

    /// Writes the pieces after the head, until the work has ended or the host stops.
    ///
    /// - Throws: what the work throws, so that an incomplete response is broken off and never ends as
    ///   if it were complete.
    nonisolated func write(to writer: inout any ResponseBodyWriter) async throws {
        try await stoppingOnError {
            for try await part in parts {
                guard case .piece(let piece) = part else { throw MissingHead() }
                try await writer.write(piece)
            }
            try Task.checkCancellation()
        }
        await work.value
    }

    /// Ends the work early.
    nonisolated func cancel() {
        work.cancel()
    }

    private nonisolated func stoppingOnError<T>(
        _ body: () async throws -> T
    ) async throws -> T {
        do {
            return try await withTaskCancellationOrGracefulShutdownHandler {
                try await body()
            } onCancelOrGracefulShutdown: {
                self.work.cancel()
            }
        } catch {
            // What the work occupies is free before the client learns about the end.
            work.cancel()
            await work.value
            throw error
        }
    }
}
