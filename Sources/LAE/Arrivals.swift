/// What arrived of a sensor, as a grant lets it be seen, and the place to go on from.
public struct Arrivals: Sendable {
    /// The samples in the order of arrival, and where some that belong here are damaged.
    public let page: SamplePage
    /// The last arrival that was looked at, also of samples that the terms hold back.
    public let last: Int64
    /// The last arrival of a sample that is older than the grant lets be seen; `nil` when none was.
    public let tooOld: Int64?
}
