import Samples

extension StoredBatch {
    /// Bytes of text that one row or chunk is not to exceed: it is read whole, and room is made of
    /// whole chunks.
    private static let textLimit = 4 << 20

    /// Bytes that the samples take in memory, roughly.
    var size: Int {
        samples.columns.reduce(count * 16) { size, column in
            guard case .texts = column else { return size + 8 * count }
            return size + 16 * count + column.textBytes(of: 0..<count)
        }
    }

    /// The same samples in pieces; none has more text than its first sample or `textBytes`.
    func parts(ofAtMost limit: Int, textBytes: Int = textLimit) -> [StoredBatch] {
        guard !isEmpty else { return [] }
        let isAnyText = samples.textBytes > 0
        guard count > limit || isAnyText else { return [self] }
        var parts: [StoredBatch] = []
        var (start, bytes) = (0, 0)
        for row in 0..<count {
            let size = isAnyText ? samples.textBytes(of: row..<row + 1) : 0
            if row - start == limit || (row > start && bytes + size > textBytes) {
                parts.append(self[start..<row])
                (start, bytes) = (row, 0)
            }
            bytes += size
        }
        return parts + [self[start..<count]]
    }
}
