/// When fresh samples become chunks, and chunks groups.
struct ChunkRules: Sendable {
    /// Samples of a whole chunk.
    var chunkSize = 32_768
    /// Rows of fresh samples of one layout that are not left waiting for a whole chunk.
    var freshRows = 512
    /// Chunks that one group stands for.
    var groupSize = 64
    /// Chunks that late samples may have rewritten in one transaction.
    var rewrites = 16

    static let standard = ChunkRules()
}
