/// How a chip is turned against the case that it is built into.
///
/// The matrix times the chip's vector is the case's vector. Source: Documentation/devicetree/
/// bindings/iio/mount-matrix.txt; sysfs writes `0, 1, 0; -1, 0, 0; 0, 0, 1`.
struct MountMatrix: Hashable, Sendable {
    private let rows: [[Double]]

    /// - Returns: `nil` unless `text` is three rows of three finite numbers.
    init?(_ text: String) {
        rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false)
                .compactMap { Double($0.trimmedWhitespace) }.filter(\.isFinite)
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
    }

    func turned(_ vector: [Double]) -> [Double] {
        rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// The matrix of one channel of a device, or of the whole device; `nil` when it has none.
    ///
    /// - Throws: `SensorError` when there is one that cannot be understood: without it, the axes
    ///   would be wrong.
    static func of(_ channel: String, in device: SystemFolder) throws(SensorError) -> MountMatrix? {
        let names = ["\(channel)_mount_matrix", "in_mount_matrix", "mount_matrix"]
        guard let file = names.map(device.file).first(where: \.exists) else { return nil }
        guard let matrix = MountMatrix(try file.line()) else {
            throw file.malformed("is not a matrix of three rows of three numbers")
        }
        return matrix
    }
}
