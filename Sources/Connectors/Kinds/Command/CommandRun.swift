import Glibc
import Text

/// One run of a program after the other, each with everything that it has started.
struct CommandRun: Sendable {
    /// What a program writes at its end and nobody has read yet, at most: a pipe holds 64 KiB.
    private static let mostPieces = 64

    let words: [String]
    let place: String
    /// How long it may take to end when it is told to.
    let grace: Duration

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - body: is handed what it writes.
    ///   - deadline: returns when it has taken too long.
    /// - Throws: ``ConnectorError`` when it cannot be started, fails or takes too long;
    ///   `CancellationError`. It does not run any more then.
    func whole(
        _ body: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        until deadline: @escaping @Sendable () async throws -> Void
    ) async throws {
        let process = try CommandProcess(words)
        let complaints = Complaints()
        let fault: (any Error)?
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await process.readToEnd(output: body, errors: complaints.take)
                }
                group.addTask {
                    try await deadline()
                    throw ConnectorError("\(place) took too long and was ended\(complaints.text).")
                }
                defer { group.cancelAll() }
                _ = try await group.next()
            }
            fault = nil
        } catch {
            fault = error
        }
        let status = await process.end(within: grace)
        if let fault { throw fault }
        drain(process.output, body)
        drain(process.errors, complaints.take)
        guard status == 0 else {
            throw ConnectorError("\(place) \(Self.text(of: status))\(complaints.text).")
        }
    }

    private func drain(_ descriptor: OwnedDescriptor, _ body: (ArraySlice<UInt8>) -> Void) {
        for _ in 0..<Self.mostPieces {
            guard case .bytes(let bytes) = descriptor.read() else { return }
            body(bytes)
        }
    }

    /// - Parameter status: as waitpid(2) gives it.
    private static func text(of status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "failed with \(status >> 8 & 0xFF)" : "was ended by signal \(signal)"
    }
}
