import Samples
import VM

@testable import Connectors

extension SupervisedSource {
    /// The next samples, so many of them.
    func take(_ count: Int) async throws -> [Sample] {
        var taken: [Sample] = []
        guard count > 0 else { return taken }
        for try await sample in samples() {
            taken.append(sample)
            if taken.count == count { break }
        }
        return taken
    }
}

/// Returns when something holds; the time limit of the test is the end of its patience.
func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        try await Task.sleep(for: .milliseconds(2))
    }
}
