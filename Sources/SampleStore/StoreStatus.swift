/// What the store holds and how it fares.
public struct StoreStatus: Hashable, Sendable {
    /// Samples accepted since the file was made, gone ones included.
    public let accepted: Int64
    /// The arrival number of the last sample that survives the death of the process; 0 for none.
    public let acknowledged: Int64
    /// Samples accepted and not yet in the file.
    public let buffered: Int
    /// Samples refused since start because the buffer was full.
    public let dropped: Int
    /// Transactions since start that wrote samples.
    public let writes: Int
    /// Bytes of the file and its write-ahead log.
    public let bytes: Int64
    /// The last failed write, until one succeeds; else what maintenance could not do.
    public let failure: String?
}
