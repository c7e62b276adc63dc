/// A format of samples in requests, responses and files; the raw value is its media type.
public enum SampleFormat: String, Hashable, Sendable, CaseIterable {
    /// A JSON array of objects.
    case json = "application/json"
    /// One JSON object per line.
    case ndjson = "application/x-ndjson"
    /// CSV (RFC 4180) with a header line.
    case csv = "text/csv"
    /// Binary columns, see `docs/columns-format.md`.
    case columns = "application/vnd.nervous.columns"
    /// A pack of SenML (RFC 8428), in whose units the values are; see `docs/formats.md`.
    case senml = "application/senml+json"

    /// The media type with its parameters, for `Content-Type`.
    public var mediaType: String {
        self == .csv ? "text/csv; charset=utf-8; header=present" : rawValue
    }
}

/// Why samples were rejected; a single fault rejects the whole input.
public struct SampleFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a fault.
    public enum Code: Hashable, Sendable {
        /// The input violates the format.
        case malformed
        /// A sample has other fields than the sensor, or a value that its field cannot store.
        case unfit
        /// The input has more samples than allowed.
        case tooMany
    }

    /// The kind of the fault.
    public let code: Code
    /// The location in the input, for display: `line 3, field x`.
    public let location: String
    /// The problem as a clause without a full stop; it never contains a value.
    public let message: String

    public var description: String { "\(location): \(message)" }
}

/// Finds the ends of rows without parsing the rows.
///
/// Input may be split at these positions: the parts parse to the same samples as the whole.
///
/// ```swift
/// let (lines, size) = RowCounter(.ndjson).rows(bytes, limit: 1000)
/// ```
public struct RowCounter: Sendable {
    private let format: SampleFormat

    /// Creates a counter for a format.
    ///
    /// - Precondition: `format` is neither `json` nor `senml`, which have no row separator.
    public init(_ format: SampleFormat) {
        precondition(format != .json && format != .senml, "JSON has no row separator")
        self.format = format
    }

    /// Counts the complete rows at the start of `bytes`: lines, including a header line, or batches.
    ///
    /// - Parameter limit: the maximum number of rows; a batch is always counted completely.
    /// - Returns: the number of lines or samples, and their size in bytes.
    public func rows(
        _ bytes: UnsafeRawBufferPointer, limit: Int = .max
    ) -> (rows: Int, bytes: Int) {
        format == .columns ? batches(bytes, limit) : lines(bytes, limit)
    }

    private func lines(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> (rows: Int, bytes: Int) {
        var (rows, end, isQuoted) = (0, 0, false)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\""), format == .csv { isQuoted.toggle() }
            guard byte == 0x0A, !isQuoted else { continue }
            rows += 1
            end = index + 1
            if rows == limit { break }
        }
        return (rows, end)
    }

    private func batches(_ bytes: UnsafeRawBufferPointer, _ limit: Int) -> (rows: Int, bytes: Int) {
        var (rows, end) = (0, 0)
        while rows < limit, bytes.count - end >= ColumnsHeader.length {
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
