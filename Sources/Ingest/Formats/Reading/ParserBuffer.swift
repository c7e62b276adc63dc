/// Bytes that wait to be read, with zeros behind them.
struct ParserBuffer: ~Copyable {
    /// Every reader may look so far beyond the last byte.
    static let slack = 16

    private(set) var capacity: Int
    private(set) var count = 0
    private var bytes: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        bytes = .allocate(capacity: capacity + Self.slack)
    }

    deinit { bytes.deallocate() }

    /// Takes as much as there is room for.
    ///
    /// - Returns: how many bytes that were.
    mutating func fill(_ source: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
        let taken = min(capacity - count, source.count, limit)
        if taken > 0, let base = source.baseAddress {
            UnsafeMutableRawPointer(bytes + count).copyMemory(from: base, byteCount: taken)
            count += taken
        }
        return taken
    }

    /// The first byte, with zeros behind the last one.
    mutating func terminated() -> UnsafePointer<UInt8> {
        (bytes + count).update(repeating: 0, count: Self.slack)
        return UnsafePointer(bytes)
    }

    /// Forgets the first bytes.
    mutating func drop(_ taken: Int) {
        count -= taken
        if taken > 0 { bytes.update(from: bytes + taken, count: count) }
    }

    mutating func grow(to larger: Int) {
        guard larger > capacity else { return }
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.slack)
        new.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = new
        capacity = larger
    }
}
