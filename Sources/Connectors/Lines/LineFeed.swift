import Ingest
import Synchronization

/// Splits the output of a source into lines or other messages, passes them to a sink and warns if they do not
/// match.
final class LineFeed: Sendable {
    private struct State: ~Copyable {
        var splitter: MessageSplitter
        /// Lines still to be skipped.
        var skipped: Int
        /// Consecutive lines that did not match.
        var mismatches = 0
        var hasMatched = false
        var last = ContinuousClock.now
    }

    /// This many consecutive mismatches cause a warning.
    private static let mismatchLimit = 20

    private let state: Mutex<State>
    private let sink: SampleSink
    private let mismatchWarning: String

    /// - Parameters:
    ///   - skipped: how many lines to skip at the start, since the first may be incomplete.
    ///   - mismatchWarning: the warning if no line matches, one sentence.
    init(_ sink: SampleSink, skipping skipped: Int = 0, mismatchWarning: String) {
        let splitter = sink.splitter
        // Of other messages the splitter finds the first that is complete.
        state = Mutex(
            State(splitter: splitter, skipped: splitter.splitsLines ? skipped : 0))
        (self.sink, self.mismatchWarning) = (sink, mismatchWarning)
    }

    func take(_ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            state.last = .now
            let before = state.splitter.rejected
            let lines = state.splitter.take(bytes)
            // Counted before the lines are passed on, so that the counts include everything that
            // preceded a sample.
            let rejected = state.splitter.rejected - before
            if rejected > 0 {
                sink.reject(rejected)
                countMismatches(rejected, &state)
            }
            for line in lines { process(line, &state) }
        }
    }

    /// Ends the input; text after the last line end counts as a line.
    func end() {
        state.withLock { state in
            for line in state.splitter.end() { process(line, &state) }
            if !state.hasMatched, state.mismatches > 0 { sink.warn(mismatchWarning) }
        }
    }

    /// Returns when no input has arrived for this long.
    ///
    /// - Throws: `CancellationError`.
    func waitForSilence(of timeout: Duration) async throws {
        while true {
            let left = timeout - state.withLock { $0.last }.duration(to: .now)
            guard left > .zero else { return }
            try await Task.sleep(for: left)
        }
    }

    private func process(_ line: [UInt8], _ state: inout State) {
        guard state.skipped == 0 else {
            state.skipped -= 1
            return
        }
        switch sink.outcome(of: line) {
        case .malformed: countMismatches(1, &state)
        case nil: break
        default:
            if !state.hasMatched || state.mismatches >= Self.mismatchLimit { sink.warn(nil) }
            (state.hasMatched, state.mismatches) = (true, 0)
        }
    }

    private func countMismatches(_ count: Int, _ state: inout State) {
        let before = state.mismatches
        state.mismatches = min(before + count, Self.mismatchLimit)
        if before < Self.mismatchLimit, state.mismatches == Self.mismatchLimit {
            sink.warn(mismatchWarning)
        }
    }
}
