/// What a test waited for and what did not come.
public struct DidNotCome: Error, CustomStringConvertible {
    public let description: String
}

/// Returns when something holds.
///
/// - Throws: ``DidNotCome``, with the place and what `otherwise` tells, after five minutes;
///   `CancellationError`.
public nonisolated(nonsending) func until(
    file: String = #fileID, line: Int = #line, otherwise: () throws -> String = { "" },
    _ isSo: () async throws -> Bool
) async throws {
    let patience = Patience(file, line)
    while try await !isSo() {
        try patience.check(otherwise)
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// The same for tests that wait for other processes, of which each look takes its time.
///
/// - Throws: ``DidNotCome``, with the place and what `otherwise` tells, after five minutes.
public func waitUntil(
    file: String = #fileID, line: Int = #line, otherwise: () throws -> String = { "" },
    _ isSo: () throws -> Bool
) throws {
    let patience = Patience(file, line)
    while try !isSo() { try patience.check(otherwise) }
}

/// How long is waited at one place.
private struct Patience {
    private let place: String
    private let deadline = ContinuousClock.now + .seconds(300)

    init(_ file: String, _ line: Int) { place = "\(file):\(line)" }

    func check(_ otherwise: () throws -> String) throws {
        guard ContinuousClock.now >= deadline else { return }
        let rest = (try? otherwise()) ?? ""
        throw DidNotCome(description: "What \(place) waits for did not come. \(rest)")
    }
}
