public import Samples

/// How collection fares.
public struct VirtualMachineStatus: Hashable, Sendable {
    /// When the virtual machine started.
    public let started: Timestamp
    public let collecting: Bool
    /// Samples accepted since the data directory was made, gone ones included.
    public let samples: Int64
    /// Samples accepted and not yet in the file.
    public let buffered: Int
    /// Samples refused since start because nothing could be written.
    public let dropped: Int
    /// Bytes of the sample file and its write-ahead log.
    public let bytes: Int64
    /// The last failed write, until one succeeds.
    public let failure: String?
    /// Where samples are known to be damaged and are not read, in order; all of time where nobody can
    /// tell.
    public let damage: [SensorID: [TimeRange]]
}
