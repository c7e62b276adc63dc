import Foundation
import Glibc

/// Overwrites what SQLite leaves in the unused parts of its pages.
///
/// `secure_delete` overwrites what is deleted where it stands then. When a page is packed anew its
/// rows move, and copies stay in the room between the list of cells and the cells. Only rows that
/// are deleted later make that matter, and SQLite never comes back to it. The layout of pages is from
/// "Database File Format", section 1.6, at sqlite.org.
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
    /// - Throws: `SampleStoreError` when the file cannot be read or written, or is no tree.
    func run(roots: [Int64]) throws(SampleStoreError) {
        var waiting = [1] + roots.map(UInt32.init(clamping:))
        var seen: Set<UInt32> = []
        while let number = waiting.popLast() {
            guard number >= 1, number <= pages, seen.insert(number).inserted else { continue }
            waiting += try scrub(number)
        }
        guard fdatasync(descriptor) == 0 else { throw Self.failure("write") }
    }

    /// - Returns: the pages below.
    private func scrub(_ number: UInt32) throws(SampleStoreError) -> [UInt32] {
        var page = [UInt8](repeating: 0, count: pageSize)
        let place = off_t(number - 1) * off_t(pageSize)
        guard pread(descriptor, &page, pageSize, place) == pageSize else {
            throw Self.failure("read")
        }
        func pair(_ at: Int) -> Int { Int(page[at]) << 8 | Int(page[at + 1]) }
        func word(_ at: Int) -> UInt32 { UInt32(pair(at)) << 16 | UInt32(pair(at + 2)) }
        let header = number == 1 ? 100 : 0
        let isInterior = page[header] == 2 || page[header] == 5
        guard isInterior || page[header] == 10 || page[header] == 13 else {
            throw SampleStoreError(.damaged, "Page \(number) of the sample store is damaged.")
        }
        let cells = header + (isInterior ? 12 : 8)
        let gap = cells + 2 * pair(header + 3)
        let content = pair(header + 5) == 0 ? 65_536 : pair(header + 5)
        guard gap <= content, content <= pageSize else {
            throw SampleStoreError(.damaged, "Page \(number) of the sample store is damaged.")
        }
        try blank(gap..<content, of: page, at: place)
        var block = pair(header + 1)
        while block >= content, block + 4 <= pageSize {
            let end = min(pageSize, block + pair(block + 2))
            try blank(block + 4..<max(block + 4, end), of: page, at: place)
            // They stand in ascending order.
            guard pair(block) > block else { break }
            block = pair(block)
        }
        guard isInterior else { return [] }
        return [word(header + 8)]
            + stride(from: cells, to: gap, by: 2).compactMap { pointer in
                let cell = pair(pointer)
                return cell + 4 <= pageSize ? word(cell) : nil
            }
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
