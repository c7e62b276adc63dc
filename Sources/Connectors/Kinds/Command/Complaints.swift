import Synchronization
import Text

/// The end of what a program writes to its standard error.
final class Complaints: Sendable {
    private static let kept = 1024
    private static let shown = 160

    private let bytes = Mutex<[UInt8]>([])

    func take(_ more: ArraySlice<UInt8>) {
        bytes.withLock { bytes in
            bytes += more
            bytes.removeFirst(max(0, bytes.count - Self.kept))
        }
    }

    /// The last line, safe to show, with a colon before it; empty where there is none.
    var text: String {
        let lines = bytes.withLock { $0.split { $0 == 0x0A || $0 == 0x0D } }
        guard let last = lines.last(where: { $0.contains { $0 > 0x20 } }) else { return "" }
        var line = String(decoding: last, as: UTF8.self).escapedForDisplay(limit: Self.shown)
        while line.last == "." { line.removeLast() }
        return ": \(line)"
    }
}
