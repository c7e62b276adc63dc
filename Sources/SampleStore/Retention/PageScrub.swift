import Foundation
import Glibc

/// Overwrites what SQLite leaves in the unused parts of its pages.
///
/// `secure_delete` overwrites what is deleted where it stands then. When a page is packed anew its
/// rows move, and copies stay in the room between the list of cells and the cells. Only rows that
/// are deleted later make that matter, and SQLite never comes back to it.
///
/// The descriptor stays open as long as the store: closing any of them ends all of the process's
/// locks on the file (POSIX), SQLite's as well.
struct PageScrub {
    private let descriptor: Int32
    private let pageSize: Int
    private let pages: UInt32

    /// - Precondition: the log is empty, and the caller holds the right to write the database.
    init(_ descriptor: Int32, pageSize: Int64, pages: Int64) {
        self.descriptor = descriptor
        self.pageSize = Int(pageSize)
        self.pages = UInt32(clamping: pages)
    }

    /// Walks the trees that begin at these pages.
    ///
    /// A page that makes no sense is left as it is, and the others are gone through.
    /// - Returns: the pages that were left.
    /// - Throws: `SampleStoreError` when the file cannot be read or written.
    func run(roots: [Int64]) throws(SampleStoreError) -> [UInt32] {
        let reserved = Int(try page(1)[20])
        var waiting = [1] + roots.map(UInt32.init(clamping:))
        var seen: Set<UInt32> = []
        var damaged: [UInt32] = []
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted else { continue }
            guard number >= 1, number <= pages else {
                damaged.append(number)
                continue
            }
            let bytes = try page(number)
            let tree = TreePage(
                bytes, header: number == 1 ? 100 : 0, usable: pageSize - reserved)
            guard let tree else {
                damaged.append(number)
                continue
            }
            for part in tree.unused { try blank(part, of: bytes, at: place(of: number)) }
            waiting += tree.children
        }
        guard fdatasync(descriptor) == 0 else { throw Self.failure("write") }
        return damaged
    }

    private func place(of number: UInt32) -> off_t { off_t(number - 1) * off_t(pageSize) }

    private func page(_ number: UInt32) throws(SampleStoreError) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: pageSize)
        guard pread(descriptor, &page, pageSize, place(of: number)) == pageSize else {
            throw Self.failure("read")
        }
        return page
    }

    private func blank(
        _ part: Range<Int>, of page: [UInt8], at place: off_t
    ) throws(SampleStoreError) {
        guard page[part].contains(where: { $0 != 0 }) else { return }
        let zeros = [UInt8](repeating: 0, count: part.count)
        guard pwrite(descriptor, zeros, part.count, place + off_t(part.lowerBound)) == part.count
        else { throw Self.failure("write") }
    }

    private static func failure(_ action: String) -> SampleStoreError {
        SampleStoreError(
            errno == ENOSPC ? .full : .failed,
            "Cannot \(action) a page of the sample store: \(String(cString: strerror(errno))).")
    }
}
