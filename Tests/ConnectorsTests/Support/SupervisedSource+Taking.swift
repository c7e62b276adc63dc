import Samples
import VM

@testable import Connectors

extension SupervisedSource {
    /// The next `count` samples.
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
