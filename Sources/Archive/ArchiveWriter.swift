import CArchive

/// Writes a ZIP archive into memory with libarchive.
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
        guard let handle = archive_write_new() else { throw refusal }
        let writer = ArchiveWriter(handle: handle, capacity: capacity)
        guard archive_write_set_format_zip(handle) == ARCHIVE_OK,
            archive_write_set_options(handle, "zip:compression=deflate,zip:hdrcharset=UTF-8")
                == ARCHIVE_OK,
            archive_write_open_memory(
                handle, writer.buffer.baseAddress, capacity, writer.used) == ARCHIVE_OK
        else { throw refusal }
        return writer
    }

    deinit {
        archive_write_free(handle)
        buffer.deallocate()
        used.deallocate()
    }

    /// Adds a file.
    public func add(_ path: String, _ bytes: [UInt8]) throws(ArchiveError) {
        guard let entry = archive_entry_new() else { throw Self.refusal }
        defer { archive_entry_free(entry) }
        // Without a time libarchive writes the first that ZIP knows, whatever the time zone.
        archive_entry_set_pathname_utf8(entry, path)
        archive_entry_set_filetype(entry, 0o100000)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, Int64(bytes.count))
        guard archive_write_header(handle, entry) == ARCHIVE_OK,
            bytes.isEmpty || archive_write_data(handle, bytes, bytes.count) == bytes.count
        else { throw Self.refusal }
    }

    /// Ends the archive.
    public func finish() throws(ArchiveError) -> [UInt8] {
        guard archive_write_close(handle) == ARCHIVE_OK else { throw Self.refusal }
        return Array(buffer[..<used.pointee])
    }

    private static var refusal: ArchiveError { ArchiveError(.damaged) }
}
