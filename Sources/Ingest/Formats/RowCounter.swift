/// Finds where rows end, without reading what is in them.
///
/// Bytes that are cut at such a place are read as what they are part of.
public struct RowCounter: Sendable {
    private let form: SampleForm

    /// - Precondition: `form` is not `json`, whose rows have no end of their own.
    public init(_ form: SampleForm) {
        precondition(form != .json, "JSON is no form of rows")
        self.form = form
    }

    /// The whole rows that some bytes begin with: lines, the header line among them, or batches.
    ///
    /// - Parameter most: how many rows to count at most; a batch is counted whole.
    /// - Returns: how many samples or lines there are, and how many bytes they have.
    public func rows(_ bytes: UnsafeRawBufferPointer, most: Int = .max) -> (rows: Int, bytes: Int) {
        form == .columns ? batches(bytes, most) : lines(bytes, most)
    }

    private func lines(_ bytes: UnsafeRawBufferPointer, _ most: Int) -> (rows: Int, bytes: Int) {
        var (rows, end, isQuoted) = (0, 0, false)
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\""), form == .csv { isQuoted.toggle() }
            guard byte == 0x0A, !isQuoted else { continue }
            rows += 1
            end = place + 1
            if rows == most { break }
        }
        return (rows, end)
    }

    private func batches(_ bytes: UnsafeRawBufferPointer, _ most: Int) -> (rows: Int, bytes: Int) {
        var (rows, end) = (0, 0)
        while rows < most, bytes.count - end >= ColumnsHeader.length {
            let count = UInt16(
                littleEndian: bytes.loadUnaligned(fromByteOffset: end + 4, as: UInt16.self))
            let more = UInt32(
                littleEndian: bytes.loadUnaligned(fromByteOffset: end + 6, as: UInt32.self))
            let length = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: end + 10, as: UInt64.self))
            var next = end + ColumnsHeader.length
            for _ in 0..<count {
                guard next + 2 <= bytes.count else { return (rows, end) }
                next += 2 + Int(bytes[next + 1])
            }
            guard next <= bytes.count, length <= UInt64(bytes.count - next) else { break }
            rows += Int(more)
            end = next + Int(length)
        }
        return (rows, end)
    }
}
