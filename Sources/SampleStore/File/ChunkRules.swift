/// When fresh samples become chunks, and chunks groups.
package struct ChunkRules: Sendable {
    /// Samples of a whole chunk.
    package var chunkSize: Int
    /// Rows of fresh samples of one layout that are not left waiting for a whole chunk.
    package var freshRows: Int
    /// Chunks that one group stands for.
    package var groupSize: Int
    /// Chunks that late samples may have rewritten in one transaction.
    package var rewrites: Int

    package init(
        chunkSize: Int = 32_768, freshRows: Int = 512, groupSize: Int = 64, rewrites: Int = 16
    ) {
        self.chunkSize = chunkSize
        self.freshRows = freshRows
        self.groupSize = groupSize
        self.rewrites = rewrites
    }

    package static let standard = ChunkRules()
}
