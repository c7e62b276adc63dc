import CArchive
import Glibc

/// A ZIP archive in memory, read by libarchive; warnings are treated as errors.
struct ArchiveReader: ~Copyable {
    /// An entry as libarchive reports it.
    struct Entry: Equatable {
        let name: [UInt8]
        let type: UInt32
        let isLink: Bool

        func isPlain(folder: Bool) -> Bool {
            !isLink && type == (folder ? 0o040000 : 0o100000)
        }
    }

    private let handle: OpaquePointer
    private let bytes: UnsafeMutableRawBufferPointer

    private init(handle: OpaquePointer, bytes: UnsafeMutableRawBufferPointer) {
        self.handle = handle
        self.bytes = bytes
    }

    static func open(_ archive: [UInt8]) throws(ArchiveError) -> ArchiveReader {
        guard let handle = archive_read_new() else { throw ArchiveError(.damaged) }
        // libarchive keeps the address, which is not stable for an array.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: archive.count, alignment: 1)
        bytes.copyBytes(from: archive)
        let reader = ArchiveReader(handle: handle, bytes: bytes)
        guard archive_read_support_format_zip_seekable(handle) == ARCHIVE_OK,
            archive_read_open_memory(handle, bytes.baseAddress, bytes.count) == ARCHIVE_OK
        else { throw ArchiveError(.damaged) }
        return reader
    }

    deinit {
        archive_read_free(handle)
        bytes.deallocate()
    }

    /// The next entry; `nil` after the last.
    func next() throws(ArchiveError) -> Entry? {
        var entry: OpaquePointer?
        let result = archive_read_next_header(handle, &entry)
        guard result != ARCHIVE_EOF else { return nil }
        guard result == ARCHIVE_OK, let entry, let name = archive_entry_pathname(entry) else {
            throw ArchiveError(.damaged)
        }
        return Entry(
            name: UnsafeBufferPointer(start: name, count: strlen(name))
                .map { UInt8(bitPattern: $0) },
            type: archive_entry_filetype(entry),
            isLink: archive_entry_symlink(entry) != nil || archive_entry_hardlink(entry) != nil)
    }

    /// The next bytes of the current entry; empty at its end.
    func read(_ name: some Collection<UInt8>, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        var result = 0
        let piece = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = archive_read_data(handle, buffer.baseAddress, limit)
            count = max(0, result)
        }
        guard result >= 0 else { throw ArchiveError(.damaged, name: name) }
        return piece
    }
}

/// Writes a ZIP archive to memory with libarchive.
///
/// ```swift
/// let writer = try ArchiveWriter.create(capacity: 4096)
/// try writer.add("my-app/app.js", Array("1".utf8))
/// let archive = try writer.finish()
/// ```
public struct ArchiveWriter: ~Copyable {
    private let handle: OpaquePointer
    private let buffer: UnsafeMutableRawBufferPointer
    private let used: UnsafeMutablePointer<Int>

    private init(handle: OpaquePointer, capacity: Int) {
        self.handle = handle
        buffer = .allocate(byteCount: capacity, alignment: 1)
        used = .allocate(capacity: 1)
        used.initialize(to: 0)
    }

    /// Begins an archive of at most `capacity` bytes.
    public static func create(capacity: Int) throws(ArchiveError) -> ArchiveWriter {
        guard let handle = archive_write_new() else { throw failure }
        let writer = ArchiveWriter(handle: handle, capacity: capacity)
        guard archive_write_set_format_zip(handle) == ARCHIVE_OK,
            archive_write_set_options(handle, "zip:compression=deflate,zip:hdrcharset=UTF-8")
                == ARCHIVE_OK,
            archive_write_open_memory(
                handle, writer.buffer.baseAddress, capacity, writer.used) == ARCHIVE_OK
        else { throw failure }
        return writer
    }

    deinit {
        archive_write_free(handle)
        buffer.deallocate()
        used.deallocate()
    }

    /// Adds a file.
    public func add(_ path: String, _ bytes: [UInt8]) throws(ArchiveError) {
        guard let entry = archive_entry_new() else { throw Self.failure }
        defer { archive_entry_free(entry) }
        // No time is set: libarchive then writes the earliest time that ZIP can represent, in every time
        // zone.
        archive_entry_set_pathname_utf8(entry, path)
        archive_entry_set_filetype(entry, 0o100000)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, Int64(bytes.count))
        guard archive_write_header(handle, entry) == ARCHIVE_OK,
            bytes.isEmpty || archive_write_data(handle, bytes, bytes.count) == bytes.count
        else { throw Self.failure }
    }

    /// Ends the archive.
    public func finish() throws(ArchiveError) -> [UInt8] {
        guard archive_write_close(handle) == ARCHIVE_OK else { throw Self.failure }
        return Array(buffer[..<used.pointee])
    }

    private static var failure: ArchiveError { ArchiveError(.damaged) }
}

/// A UTF-8 locale for one thread, which libarchive needs for names that are not ASCII.
public enum UTF8Locale {
    /// Runs `body` in the locale; other threads keep theirs.
    ///
    /// The locale is read from files, so a process must call this before it is confined.
    public static func use<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let locale = nervous_new_utf8_locale() else { return try body() }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        return try body()
    }
}
