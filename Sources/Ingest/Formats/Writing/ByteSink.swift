/// Bytes that grow at their end.
struct ByteSink: ~Copyable {
    /// Every writer may so far overwrite what is behind its last byte.
    static let slack = 16

    private var capacity: Int
    private(set) var start: UnsafeMutablePointer<UInt8>
    /// Behind the last byte.
    var next: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(capacity: capacity + Self.slack)
        next = start
    }

    deinit { start.deallocate() }

    var count: Int { next - start }

    /// Makes room for so many more bytes and the slack.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity - (next - start) < more { grow(more) }
    }

    mutating func append(_ bytes: [UInt8]) {
        reserve(bytes.count)
        bytes.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            next.update(from: base, count: source.count)
        }
        next += bytes.count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(next).copyMemory(from: base, byteCount: bytes.count)
        next += bytes.count
    }

    mutating func append<T: FixedWidthInteger>(_ number: T) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    mutating func removeAll() { next = start }

    private mutating func grow(_ more: Int) {
        let count = next - start
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.slack)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        next = larger + count
    }
}
