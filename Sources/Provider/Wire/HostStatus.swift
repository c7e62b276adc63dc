/// How the host fares, as the API tells it.
public struct HostStatus: Codable, Sendable {
    public let version: String
    public let pid: Int32
    /// The data directory.
    public let data: String
    /// Where it serves; not there while it does not.
    public let port: Int?
    /// Milliseconds since 1970.
    public let started: Double
    public let collecting: Bool
    /// Samples accepted since the data directory was made, gone ones included.
    public let samples: Int64
    /// Of these, not yet in the file.
    public let buffered: Int
    /// Samples refused since start because nothing could be written.
    public let dropped: Int
    /// Bytes of the sample file and its write-ahead log.
    public let bytes: Int64
    /// The last failed write, until one succeeds.
    public let failure: String?
    /// Where samples are known to be damaged, by sensor; not there when none are.
    public let damaged: [DamagedRange]?
    /// The end of the access log.
    public let accessLog: AccessLogHead
}
