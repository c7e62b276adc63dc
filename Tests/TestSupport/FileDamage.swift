import Foundation

/// What can happen to an SQLite file so that it cannot be opened.
public enum FileDamage: String, CaseIterable, Sendable {
    /// It has no byte.
    case empty
    /// It has other content of the same size.
    case garbage
    /// The first half of it.
    case truncated
    /// Less than a header.
    case fragment
    /// Another beginning.
    case header
    /// The page of the schema is overwritten.
    case schema

    /// Damages a database that no process has open.
    public func apply(to path: String) throws {
        // Its log would repair some of it.
        for companion in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + companion)
        }
        let url = URL(filePath: path)
        var bytes = [UInt8](try Data(contentsOf: url))
        let noise = (0..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        switch self {
        case .empty: bytes = []
        case .garbage: bytes = noise
        case .truncated: bytes = Array(bytes.prefix(bytes.count / 2))
        case .fragment: bytes = Array(bytes.prefix(60))
        case .header: bytes.replaceSubrange(0..<16, with: noise[0..<16])
        case .schema: bytes.replaceSubrange(100..<2000, with: noise[100..<2000])
        }
        // In place, so that the file keeps its mode.
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }
}
