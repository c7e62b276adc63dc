import CArchive
import Glibc

/// A ZIP archive in memory, read by libarchive; a warning is as bad as an error.
struct ArchiveReader: ~Copyable {
    /// What libarchive says about an entry.
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
        // libarchive keeps the address, which an array does not promise.
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

    /// The next entry, or `nil` behind the last.
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

    /// The next bytes of the entry that came last; none behind its end.
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
