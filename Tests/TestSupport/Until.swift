import Glibc

/// A condition that a test waited for and that did not become true.
public struct WaitTimeout: Error, CustomStringConvertible {
    public let description: String
}

/// Waits until a condition holds.
///
/// - Parameter otherwise: details for the error.
/// - Throws: ``WaitTimeout`` with the place after ``Program/patience``; `CancellationError`.
public nonisolated(nonsending) func until(
    file: String = #fileID, line: Int = #line, otherwise: () throws -> String = { "" },
    _ isMet: () async throws -> Bool
) async throws {
    var patience = Patience(file, line)
    while try await !isMet() { try await Task.sleep(for: patience.pause(otherwise)) }
}

/// Waits until a condition holds that takes time to check, such as the output of a program.
///
/// - Parameter otherwise: details for the error.
/// - Throws: ``WaitTimeout`` with the place after ``Program/patience``.
public func waitUntil(
    file: String = #fileID, line: Int = #line, otherwise: () throws -> String = { "" },
    _ isMet: () throws -> Bool
) throws {
    BlockingExecutor.checkMayBlock("waitUntil")
    var patience = Patience(file, line)
    while try !isMet() { usleep(UInt32(try patience.pause(otherwise) / .microseconds(1))) }
}

/// Measures the processor time of the calling thread, which a busy machine does not lengthen.
public func processorTime(of body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}

/// How long a test waits: a guard against hangs, not a measurement.
private struct Patience {
    private static let longest = Duration.milliseconds(50)

    private let place: String
    private let deadline = ContinuousClock.now + Program.patience
    private var next = Duration.milliseconds(1)

    init(_ file: String, _ line: Int) { place = "\(file):\(line)" }

    /// The time until the next check: short at first, longer where a test waits long.
    mutating func pause(_ otherwise: () throws -> String) throws -> Duration {
        guard ContinuousClock.now < deadline else {
            let details = (try? otherwise()) ?? ""
            throw WaitTimeout(description: "The condition at \(place) was not met. \(details)")
        }
        defer { next = min(next * 1.5, Self.longest) }
        return next
    }
}
