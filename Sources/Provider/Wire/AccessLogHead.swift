/// The end of the access log: whoever notes its hash can prove later that no line before was changed.
public struct AccessLogHead: Codable, Sendable {
    /// The number of the newest line.
    public let line: Int64
    /// Its hash, 64 hexadecimal digits.
    public let hash: String
    /// How many lines were cut off by the call that this answers.
    public let cut: Int?

    init(_ head: (id: Int64, hash: String), cut: Int? = nil) {
        line = head.id
        hash = head.hash
        self.cut = cut
    }
}
