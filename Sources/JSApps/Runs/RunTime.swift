/// The time of a run that does not follow the machine's clock.
///
/// The app's process is told the time, and time passes only while the app has nothing to do: every
/// call but that of an open stream is answered, and everything that was sent to it was heard. So what
/// an app does takes no time, and the same run is the same each time.
public protocol RunTime: Sendable {
    /// What the app's clock says when it begins, in microseconds since 1970 UTC.
    var start: Int64 { get }
    /// What the app's random numbers follow from.
    var seed: UInt64 { get }

    /// Lets every stream that is open say what has arrived for it, one after the other.
    func catchUp() async

    /// Lets time go on to `deadline`, or to the first sample before or at it that a stream waits for.
    ///
    /// - Parameter deadline: when the app has something to do by itself, in microseconds since 1970;
    ///   `nil` when it waits for streams alone.
    /// - Returns: the time then; `nil` when nothing will ever come.
    /// - Throws: what keeps time from going on; the run ends.
    func advance(to deadline: Int64?) async throws -> RunMoment?
}

/// Where the time of a run stands.
public struct RunMoment: Sendable, Hashable {
    /// Since 1970 UTC.
    public let microseconds: Int64
    /// Whether it is what the app waited for, and no stream has to say something first.
    public let isDeadline: Bool

    public init(microseconds: Int64, isDeadline: Bool) {
        self.microseconds = microseconds
        self.isDeadline = isDeadline
    }
}
