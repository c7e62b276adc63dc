import Foundation
import Glibc

/// Overwrites the unused parts of SQLite's pages.
///
/// `secure_delete` overwrites a deleted cell in place. When SQLite defragments a page, cells move,
/// and copies remain in the gap between the cell pointers and the cells; `secure_delete` does not
/// overwrite the copies.
///
/// The descriptor stays open as long as the store: closing any descriptor of a file drops all POSIX locks of
/// the process on it, including those of SQLite.
struct PageScrub {
    private let descriptor: Int32
    private let pageSize: Int
    private let pages: UInt32

    /// - Precondition: the write-ahead log is empty, and the caller holds a write transaction.
    init(_ descriptor: Int32, pageSize: Int64, pages: Int64) {
        self.descriptor = descriptor
        self.pageSize = Int(pageSize)
        self.pages = UInt32(clamping: pages)
    }

    /// Scrubs the pages of the trees with these root pages.
    ///
    /// A page that cannot be parsed is skipped.
    /// - Returns: the pages that were skipped.
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
            for part in tree.unused { try blank(part, of: bytes, at: offset(of: number)) }
            waiting += tree.children
        }
        guard fdatasync(descriptor) == 0 else { throw Self.failure("write") }
        return damaged
    }

    private func offset(of number: UInt32) -> off_t { off_t(number - 1) * off_t(pageSize) }

    private func page(_ number: UInt32) throws(SampleStoreError) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: pageSize)
        guard pread(descriptor, &page, pageSize, offset(of: number)) == pageSize else {
            throw Self.failure("read")
        }
        return page
    }

    private func blank(
        _ part: Range<Int>, of page: [UInt8], at offset: off_t
    ) throws(SampleStoreError) {
        guard page[part].contains(where: { $0 != 0 }) else { return }
        let zeros = [UInt8](repeating: 0, count: part.count)
        guard pwrite(descriptor, zeros, part.count, offset + off_t(part.lowerBound)) == part.count
        else { throw Self.failure("write") }
    }

    private static func failure(_ action: String) -> SampleStoreError {
        SampleStoreError(
            errno == ENOSPC ? .full : .failed,
            "Cannot \(action) a page of the sample store: \(String(cString: strerror(errno))).")
    }
}

/// The unused parts of a b-tree page.
///
/// The format is from "Database File Format", section 1.6, at sqlite.org.
struct TreePage {
    /// The unused byte ranges.
    let unused: [Range<Int>]
    /// The child pages.
    let children: [UInt32]

    /// - Parameters:
    ///   - start: the offset of the page header: 100 on the first page, else 0.
    ///   - usable: the number of bytes that SQLite uses.
    /// - Returns: `nil` if cells, free blocks and fragments do not account for every byte: the
    ///   unused parts are then unknown.
    init?(_ page: [UInt8], header start: Int, usable: Int) {
        func pair(_ at: Int) -> Int { Int(page[at]) << 8 | Int(page[at + 1]) }
        func word(_ at: Int) -> UInt32 {
            UInt32(pair(at)) << 16 | UInt32(pair(at + 2))
        }
        let kind = Kind(rawValue: page[start])
        guard let kind, usable > 480, usable <= page.count else { return nil }
        let cells = start + (kind.isInterior ? 12 : 8)
        let gap = cells + 2 * pair(start + 3)
        let content = pair(start + 5) == 0 ? 65_536 : pair(start + 5)
        guard gap <= content, content <= usable else { return nil }
        var taken: [Range<Int>] = []
        var children: [UInt32] = kind.isInterior ? [word(start + 8)] : []
        for pointer in stride(from: cells, to: gap, by: 2) {
            let cell = pair(pointer)
            guard cell >= content, cell + 4 <= usable,
                let size = kind.size(page[cell..<usable], usable: usable),
                cell + size <= usable
            else { return nil }
            taken.append(cell..<cell + size)
            if kind.isInterior { children.append(word(cell)) }
        }
        var free: [Range<Int>] = []
        var block = pair(start + 1)
        while block != 0 {
            guard block >= content, block + 4 <= usable, block >= free.last?.upperBound ?? 0 else {
                return nil
            }
            let end = block + pair(block + 2)
            guard end >= block + 4, end <= usable else { return nil }
            free.append(block..<end)
            block = pair(block)
        }
        // Cells and free blocks must not overlap; the remaining bytes are the fragments of the header.
        let parts = (taken + free).sorted { $0.lowerBound < $1.lowerBound }
        for (part, next) in zip(parts, parts.dropFirst()) where part.upperBound > next.lowerBound {
            return nil
        }
        let left = usable - content - parts.reduce(0) { $0 + $1.count }
        guard left == Int(page[start + 7]) else { return nil }
        unused = [gap..<content] + free.map { $0.lowerBound + 4..<$0.upperBound }
        self.children = children
    }

    /// The page types of a b-tree.
    private enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isInterior: Bool { self == .interiorIndex || self == .interiorTable }

        /// The size of the cell at the start of the slice; `nil` when it is malformed.
        func size(_ cell: ArraySlice<UInt8>, usable: Int) -> Int? {
            var rest = cell.dropFirst(isInterior ? 4 : 0)
            func variable() -> UInt64? {
                var value: UInt64 = 0
                for index in 0..<9 {
                    guard let byte = rest.popFirst() else { return nil }
                    if index == 8 { return value << 8 | UInt64(byte) }
                    value = value << 7 | UInt64(byte & 0x7f)
                    if byte < 0x80 { return value }
                }
                return nil
            }
            guard let first = variable() else { return nil }
            if self == .interiorTable { return max(4, cell.count - rest.count) }
            if self == .leafTable, variable() == nil { return nil }
            guard let payload = Int(exactly: first) else { return nil }
            let maximum = self == .leafTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
            var local = payload
            if payload > maximum {
                let minimum = (usable - 12) * 32 / 255 - 23
                let kept = minimum + (payload - minimum) % (usable - 4)
                local = (kept <= maximum ? kept : minimum) + 4
            }
            return max(4, cell.count - rest.count + local)
        }
    }
}
