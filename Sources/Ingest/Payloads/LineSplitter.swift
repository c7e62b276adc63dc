/// Cuts bytes that come in pieces into lines, in bounded memory.
///
/// A line ends with LF, CR or CR LF. Empty lines are left out. One that is longer than the limit is
/// dropped as a whole and counted; what follows its end is read again.
public struct LineSplitter: Sendable {
    /// The most bytes that a line may have.
    public let limit: Int
    /// Lines that were too long.
    public private(set) var overlong = 0
    private var line: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: the most bytes of a line, at least 1.
    public init(limit: Int = 4096) {
        self.limit = max(1, limit)
    }

    /// The lines that end within some more bytes.
    public mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == 0x0A || byte == 0x0D {
                if !line.isEmpty { lines.append(line) }
                line.removeAll(keepingCapacity: true)
                isSkipping = false
            } else if isSkipping {
                continue
            } else if line.count < limit {
                line.append(byte)
            } else {
                line.removeAll(keepingCapacity: true)
                isSkipping = true
                overlong += 1
            }
        }
        return lines
    }

    /// The line that the end of everything ends, as that of a program's output; `nil` where there is none.
    public mutating func end() -> [UInt8]? {
        let last = line
        reset()
        return last.isEmpty ? nil : last
    }

    /// Forgets what came of a line that will not end, as when a device left amid it.
    public mutating func reset() {
        line.removeAll(keepingCapacity: true)
        isSkipping = false
    }
}
