/// What a client calls a batch, so that sending it again stores nothing twice.
public struct BatchKey: Hashable, Sendable {
    /// Whose key it is; those of others have nothing to do with it.
    public let client: String
    public let name: String
    /// What tells the batch from any other, such as a hash of what the client sent.
    public let digest: [UInt8]

    public init(client: String, name: String, digest: [UInt8]) {
        self.client = client
        self.name = name
        self.digest = digest
    }
}

/// What became of a batch.
public struct BatchReceipt: Hashable, Sendable {
    /// How many samples were accepted.
    public let accepted: Int
    /// The arrival number of the last one.
    public let last: Int64

    public init(accepted: Int, last: Int64) {
        self.accepted = accepted
        self.last = last
    }
}
