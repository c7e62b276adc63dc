import Glibc

/// Bytes of a key or passphrase in memory that is neither written to the swap space nor into a core dump,
/// nor passed on to a forked process, and that is overwritten when it is released.
///
/// ```swift
/// let key = try SecretBytes(copying: bytes)
/// key.withUnsafeBytes { print($0.count) }
/// ```
///
/// Each instance occupies whole pages, which count against `RLIMIT_MEMLOCK`. What a caller copies out of it
/// is no longer protected.
public final class SecretBytes: Sendable {
    /// The number of bytes.
    public let count: Int
    private let address: UInt
    private let mappedBytes: Int

    /// Fills new memory.
    ///
    /// - Parameter fill: writes the bytes; they are zero before.
    /// - Throws: `memory` if the memory cannot be locked; what `fill` throws.
    init(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(SealingError) -> Void
    ) throws(SealingError) {
        let page = sysconf(Int32(_SC_PAGESIZE))
        let mappedBytes = max(1, (count + page - 1) / page) * page
        let memory = mmap(
            nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, Int(bitPattern: memory) != -1 else { throw Self.failure(errno) }
        address = UInt(bitPattern: memory)
        (self.count, self.mappedBytes) = (count, mappedBytes)
        guard mlock(memory, mappedBytes) == 0, madvise(memory, mappedBytes, MADV_DONTDUMP) == 0,
            madvise(memory, mappedBytes, MADV_WIPEONFORK) == 0
        else { throw Self.failure(errno) }
        try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// Copies bytes, whose original the caller overwrites if it must.
    ///
    /// - Throws: `memory`.
    public convenience init(copying bytes: some Sequence<UInt8>) throws(SealingError) {
        let bytes = Array(bytes)
        try self.init(count: bytes.count) { (memory) throws(SealingError) in
            memory.copyBytes(from: bytes)
        }
    }

    /// Random bytes of the kernel.
    ///
    /// - Throws: `memory`.
    public convenience init(randomCount count: Int) throws(SealingError) {
        try self.init(count: count) { (memory) throws(SealingError) in
            var generator = SystemRandomNumberGenerator()
            for index in memory.indices { memory[index] = generator.next() }
        }
    }

    deinit {
        guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { return }
        explicit_bzero(memory, mappedBytes)
        munmap(memory, mappedBytes)
    }

    /// Calls `body` with the bytes; they are valid during the call only.
    public func withUnsafeBytes<R, E>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }

    /// Whether this process may lock the memory of a key.
    public static var isAvailable: Bool { (try? SecretBytes(randomCount: 1)) != nil }

    private static func failure(_ number: Int32) -> SealingError {
        SealingError(
            .memory, "The memory for a key cannot be locked: \(String(cString: strerror(number))).",
            hint:
                "Allow at least 256 KiB of locked memory: ulimit -l, or LimitMEMLOCK= of the service"
        )
    }
}

/// Files whose content is a key.
enum SecretFileBytes {
    private static let longest = 4096

    static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// - Returns: the bytes without a line end; `nil` if the file cannot be read, is empty or is too long.
    /// - Throws: `memory`.
    static func read(_ path: String) throws(SealingError) -> SecretBytes? {
        // O_NONBLOCK: opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        defer {
            bytes.withUnsafeMutableBytes { memory in
                if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
            }
        }
        var count = bytes.withUnsafeMutableBytes {
            Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        while count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        guard (1...longest).contains(count) else { return nil }
        return try SecretBytes(copying: bytes[..<count])
    }
}
