import Auth
import CArchive
import Glibc

/// A ZIP archive in memory, read by libarchive; a warning is as bad as an error.
struct ArchiveReader: ~Copyable {
    /// What libarchive says about an entry.
    struct Entry {
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

    static func open(_ archive: [UInt8]) throws(JSAppsError) -> ArchiveReader {
        guard let handle = archive_read_new() else { throw .malformed("it cannot be opened") }
        // libarchive keeps the address, which an array does not promise.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: archive.count, alignment: 1)
        bytes.copyBytes(from: archive)
        let reader = ArchiveReader(handle: handle, bytes: bytes)
        guard archive_read_support_format_zip_seekable(handle) == ARCHIVE_OK,
            archive_read_open_memory(handle, bytes.baseAddress, bytes.count) == ARCHIVE_OK
        else { throw .malformed(complaint(of: handle)) }
        return reader
    }

    deinit {
        archive_read_free(handle)
        bytes.deallocate()
    }

    /// The next entry, or `nil` behind the last.
    func next() throws(JSAppsError) -> Entry? {
        var entry: OpaquePointer?
        let result = archive_read_next_header(handle, &entry)
        guard result != ARCHIVE_EOF else { return nil }
        guard result == ARCHIVE_OK, let entry, let name = archive_entry_pathname(entry) else {
            throw .malformed(Self.complaint(of: handle))
        }
        return Entry(
            name: UnsafeBufferPointer(start: name, count: strlen(name))
                .map { UInt8(bitPattern: $0) },
            type: archive_entry_filetype(entry),
            isLink: archive_entry_symlink(entry) != nil || archive_entry_hardlink(entry) != nil)
    }

    /// The content of the entry that came last; more than `limit` bytes come back cut.
    func content(of path: SafePath, atMost limit: Int) throws(JSAppsError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while content.count <= limit {
            let count = archive_read_data(handle, &buffer, buffer.count)
            guard count >= 0 else {
                throw .malformed("‘\(path.shown)’: \(Self.complaint(of: handle))")
            }
            guard count > 0 else { break }
            content.append(contentsOf: buffer[..<count])
        }
        return content
    }

    private static func complaint(of handle: OpaquePointer) -> String {
        guard let text = archive_error_string(handle) else { return "it cannot be read" }
        return String(cString: text).escapedForDisplay(limit: 100)
    }
}

extension JSAppsError {
    fileprivate static func malformed(_ why: String) -> JSAppsError {
        JSAppsError(.malformedArchive, "The archive is damaged: \(why).")
    }
}
