/// Where the numbers of a scan stand.
///
/// Each is aligned to its own length, and the scan to the longest. Source: `iio_compute_scan_bytes`
/// in drivers/iio/industrialio-buffer.c.
struct ScanLayout: Hashable, Sendable {
    /// Where each number begins, in the order of the formats.
    let offsets: [Int]
    /// Bytes from one scan to the next.
    let size: Int

    /// - Parameter formats: of the elements that are on, in the order of their indexes.
    init(_ formats: [ScanFormat]) {
        var offsets: [Int] = []
        var end = 0
        for format in formats {
            end = Self.aligned(end, format.length)
            offsets.append(end)
            end += format.length
        }
        self.offsets = offsets
        size = Self.aligned(end, formats.map(\.length).max() ?? 1)
    }

    private static func aligned(_ place: Int, _ length: Int) -> Int {
        (place + length - 1) / length * length
    }
}
