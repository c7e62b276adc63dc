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

    /// Bytes of fresh samples in the file that are not left waiting for a whole chunk: room is made of
    /// chunks.
    package var freshBytes = 4 << 20
    /// The same of bytes that they take once they are read; one plan takes about twice as many.
    package var freshDecoded = 32 << 20

    /// Chunks that fresh samples may be enough for before writing waits until some are made.
    package var backlog: Int

    package init(
        chunkSize: Int = 32_768, freshRows: Int = 512, groupSize: Int = 64, rewrites: Int = 16,
        backlog: Int = 8
    ) {
        self.chunkSize = chunkSize
        self.freshRows = freshRows
        self.groupSize = groupSize
        self.rewrites = rewrites
        self.backlog = backlog
    }

    package static let standard = ChunkRules()
}
