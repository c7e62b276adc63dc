public import Samples

/// Samples that follow from their time alone, because they are made up or were recorded.
///
/// Nothing of the machine is read and no clock is asked, so time may pass at any speed. The virtual
/// machine takes them when it is told that time has passed: `play(after:through:)`.
public protocol TimedSource: Sendable {
    /// When the first sample after `time` is; `nil` when none comes any more.
    ///
    /// - Parameter interval: the time between two samples that the collection level asks for.
    func next(after time: Timestamp, every interval: Duration) -> Timestamp?

    /// The samples after `start` and up to `end`, that moment included, in order.
    ///
    /// - Parameter limit: at most so many, the first of them.
    func samples(
        after start: Timestamp, through end: Timestamp, every interval: Duration, limit: Int
    ) -> SampleBatch
}
