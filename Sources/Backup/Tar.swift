/// A file in a tar archive.
struct TarEntry: Equatable {
    let path: String
    /// Bytes.
    let size: Int64
    /// The permission bits.
    let mode: UInt32
    /// Seconds since 1970.
    let modified: Int64
}

/// The constants and headers of the format: POSIX `ustar`, with `pax` records where a name or size is too
/// long.
private enum TarFormat {
    static let blockSize = 512
    static let largestName = 100
    /// 11 octal digits.
    static let largestSize: Int64 = 0o777_7777_7777
    /// The maximum number of bytes of `pax` records.
    static let largestRecords = 8192
    static let file = UInt8(ascii: "0")
    static let records = UInt8(ascii: "x")
    static let magic = Array("ustar\u{0}00".utf8)

    enum Field {
        static let name = 0..<100
        static let mode = 100..<108
        static let owner = 108..<116
        static let group = 116..<124
        static let size = 124..<136
        static let modified = 136..<148
        static let sum = 148..<156
        static let type = 156
        static let magic = 257..<265
    }

    /// The number of bytes after `size` bytes up to the next block.
    static func padding(_ size: Int64) -> Int {
        let rest = Int(size % Int64(blockSize))
        return rest == 0 ? 0 : blockSize - rest
    }

    /// The block before the content of a file.
    static func header(_ entry: TarEntry, _ type: UInt8) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: blockSize)
        func put(_ bytes: some Collection<UInt8>, _ field: Range<Int>) {
            header.replaceSubrange(field.prefix(bytes.count), with: bytes)
        }
        func put(octal number: Int64, _ field: Range<Int>) {
            let digits = String(max(0, number), radix: 8)
            let width = field.count - 1
            put((String(repeating: "0", count: max(0, width - digits.count)) + digits).utf8, field)
        }
        put(entry.path.utf8.prefix(largestName), Field.name)
        put(octal: Int64(entry.mode), Field.mode)
        put(octal: 0, Field.owner)
        put(octal: 0, Field.group)
        // A size that does not fit here is in a `pax` record.
        put(octal: entry.size > largestSize ? 0 : entry.size, Field.size)
        put(octal: min(entry.modified, largestSize), Field.modified)
        header[Field.type] = type
        put(magic, Field.magic)
        let digits = String(sum(header), radix: 8)
        let text = String(repeating: "0", count: 6 - digits.count) + digits + "\u{0} "
        put(text.utf8, Field.sum)
        return header
    }

    /// The sum of a header's bytes, with its own field as spaces.
    private static func sum(_ header: [UInt8]) -> Int64 {
        header.enumerated().reduce(0) { sum, byte in
            sum + (Field.sum.contains(byte.offset) ? 0x20 : Int64(byte.element))
        }
    }
}

/// Writes a tar archive of plain files, which every tar program reads.
///
/// ```swift
/// let tar = TarWriter(try OpenFile.creating(path))
/// try tar.add(TarEntry(path: "a", size: 2, mode: 0o600, modified: 0), [0x68, 0x69])
/// try tar.end()
/// ```
struct TarWriter: ~Copyable {
    private let file: OpenFile

    init(_ file: consuming OpenFile) {
        self.file = file
    }

    /// Adds a file from memory.
    ///
    /// - Precondition: `bytes` has the entry's size.
    func add(_ entry: TarEntry, _ bytes: [UInt8]) throws(BackupError) {
        try begin(entry)
        try file.write(bytes)
        try finish(entry)
    }

    /// Adds a copy of a file.
    ///
    /// - Parameter onBlock: called with each block that was copied; an error that it throws ends the copy.
    /// - Throws: `busy` if the file has another size than the entry.
    func add(
        _ entry: TarEntry, from source: borrowing OpenFile, onBlock: ([UInt8]) throws -> Void
    ) throws {
        try begin(entry)
        var left = entry.size
        while left > 0 {
            let block = try source.read(Int(min(left, Int64(OpenFile.blockSize))))
            guard !block.isEmpty else {
                throw BackupError(.busy, "\(source.path) was changed while it was copied.")
            }
            try file.write(block)
            left -= Int64(block.count)
            try onBlock(block)
        }
        try finish(entry)
    }

    /// Writes the end of the archive, and flushes it to the disk.
    func end() throws(BackupError) {
        try file.write([UInt8](repeating: 0, count: 2 * TarFormat.blockSize))
        try file.sync()
    }

    private func begin(_ entry: TarEntry) throws(BackupError) {
        var records = ""
        if entry.path.utf8.count > TarFormat.largestName {
            records += Self.record("path", entry.path)
        }
        if entry.size > TarFormat.largestSize { records += Self.record("size", "\(entry.size)") }
        if !records.isEmpty {
            let bytes = Array(records.utf8)
            let size = Int64(bytes.count)
            try file.write(
                TarFormat.header(
                    TarEntry(path: "pax", size: size, mode: 0o600, modified: entry.modified),
                    TarFormat.records))
            try file.write(bytes)
            try file.write([UInt8](repeating: 0, count: TarFormat.padding(size)))
        }
        try file.write(TarFormat.header(entry, TarFormat.file))
    }

    private func finish(_ entry: TarEntry) throws(BackupError) {
        try file.write([UInt8](repeating: 0, count: TarFormat.padding(entry.size)))
    }

    /// A record begins with its own length.
    private static func record(_ key: String, _ value: String) -> String {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count + 1
        while "\(length)".utf8.count + rest.utf8.count != length {
            length = "\(length)".utf8.count + rest.utf8.count
        }
        return "\(length)\(rest)"
    }
}

/// Reads the archives of ``TarWriter``, and refuses everything else.
///
/// Links, folders, devices and other extensions of the format are refused, so a hostile archive cannot
/// redirect a path by a link. The caller has to check the paths themselves.
struct TarReader: ~Copyable {
    /// What is wrong with an archive.
    enum Fault: Error {
        /// It ends too early.
        case truncated
        /// It has content that ``TarWriter`` does not write.
        case malformed
    }

    private let file: OpenFile
    /// Bytes of the current entry that were not read.
    private var left: Int64 = 0
    private var padding = 0

    init(_ file: consuming OpenFile) {
        self.file = file
    }

    /// The next file; `nil` at the end of the archive.
    ///
    /// - Precondition: the content of the previous one was read.
    mutating func next() throws -> TarEntry? {
        try skipPadding()
        var header = try block()
        guard header.contains(where: { $0 != 0 }) else {
            guard try block().allSatisfy({ $0 == 0 }), try file.read(1).isEmpty else {
                throw Fault.malformed
            }
            return nil
        }
        var records: [String: String] = [:]
        if header[TarFormat.Field.type] == TarFormat.records {
            let size = try Self.entry(header, TarFormat.records).size
            guard size <= TarFormat.largestRecords else { throw Fault.malformed }
            (left, padding) = (size, TarFormat.padding(size))
            records = try Self.records(try read(Int(size)))
            try skipPadding()
            header = try block()
        }
        let entry = try Self.entry(header, TarFormat.file, records)
        (left, padding) = (entry.size, TarFormat.padding(entry.size))
        return entry
    }

    /// The next bytes of the current file, up to `limit`; empty at its end.
    mutating func read(_ limit: Int = OpenFile.blockSize) throws -> [UInt8] {
        let count = Int(min(left, Int64(limit)))
        let bytes = try file.read(count)
        guard bytes.count == count else { throw Fault.truncated }
        left -= Int64(count)
        return bytes
    }

    private mutating func skipPadding() throws {
        let bytes = try file.read(padding)
        guard bytes.count == padding else { throw Fault.truncated }
        guard bytes.allSatisfy({ $0 == 0 }) else { throw Fault.malformed }
        padding = 0
    }

    private func block() throws -> [UInt8] {
        let bytes = try file.read(TarFormat.blockSize)
        guard bytes.count == TarFormat.blockSize else { throw Fault.truncated }
        return bytes
    }

    /// The entry of a header, which has to be exactly as ``TarWriter`` writes it.
    private static func entry(
        _ header: [UInt8], _ type: UInt8, _ records: [String: String] = [:]
    ) throws -> TarEntry {
        let name = header[TarFormat.Field.name].prefix { $0 != 0 }
        guard let path = records["path"] ?? String(validating: name, as: UTF8.self) else {
            throw Fault.malformed
        }
        let size = try records["size"].map(Int64.init) ?? number(header[TarFormat.Field.size])
        guard let size, size >= 0 else { throw Fault.malformed }
        let entry = TarEntry(
            path: path, size: size,
            mode: UInt32(try number(header[TarFormat.Field.mode]) & 0o7777),
            modified: try number(header[TarFormat.Field.modified]))
        guard header == TarFormat.header(entry, type) else { throw Fault.malformed }
        return entry
    }

    private static func number(_ field: ArraySlice<UInt8>) throws -> Int64 {
        let text = String(decoding: field.prefix { $0 != 0 && $0 != 0x20 }, as: UTF8.self)
        guard let number = Int64(text, radix: 8), number >= 0 else { throw Fault.malformed }
        return number
    }

    private static func records(_ bytes: [UInt8]) throws -> [String: String] {
        var records: [String: String] = [:]
        var rest = bytes[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)),
                length > digits.count + 2, length <= rest.count,
                let text = String(validating: rest.prefix(length), as: UTF8.self),
                text.hasSuffix("\n")
            else { throw Fault.malformed }
            let pair = text.dropLast().dropFirst(digits.count + 1)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, ["path", "size"].contains(String(pair[0])) else {
                throw Fault.malformed
            }
            records[String(pair[0])] = String(pair[1])
            rest = rest.dropFirst(length)
        }
        return records
    }
}
