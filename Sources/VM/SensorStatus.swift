public import Samples

/// A sensor as it stands now.
public struct SensorStatus: Hashable, Sendable {
    /// Whether samples can come from it.
    public enum State: Hashable, Sendable {
        case available
        /// Hardware or permission is missing; see `Availability.unavailable`.
        case unavailable(reason: String, remedy: String?)
    }

    public let sensor: Sensor
    public let state: State
    public let level: CollectionLevel
    /// The last failure to read it, until a read succeeds.
    public let failure: String?
    /// Something to know about how it is read, such as why its device takes no samples by itself.
    public let note: String?
    /// Reads that failed since start.
    public let failures: Int
    public let newest: StoredSample?
    /// Of a source that sends of its own accord.
    public let source: SourceReport?
}
