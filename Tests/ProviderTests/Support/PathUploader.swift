import Addresses
import Egress
import Samples
import Scheduling

/// A server that accepts uploads to `/taken`, refuses those to `/refused` and is down otherwise.
struct PathUploader: Uploader {
    func upload(
        _ upload: Upload, id: String, token: String?
    ) async throws(EgressError) -> Int {
        switch upload.address.target {
        case "/taken": 201
        case "/refused": 403
        default:
            throw EgressError(.unreachable, "\(upload.address.origin) cannot be reached.")
        }
    }
}

/// The clock of a test, for the outbox.
struct OutboxTime: TimeSource {
    let clock: TestClock

    func now() -> Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
