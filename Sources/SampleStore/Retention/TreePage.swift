/// What of a page of a tree is used, and what is not.
///
/// The layout of pages is from "Database File Format", section 1.6, at sqlite.org.
struct TreePage {
    /// The parts that hold nothing.
    let unused: [Range<Int>]
    /// The pages below.
    let children: [UInt32]

    /// - Parameters:
    ///   - start: where the page's header stands: behind that of the file on the first page.
    ///   - usable: bytes of the page that SQLite uses.
    /// - Returns: `nil` when the parts of the page do not fit together to the last byte, so that nobody
    ///   can tell what of it is used.
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
        // Parts that lie side by side and leave what the header calls fragments, no more and no less.
        let parts = (taken + free).sorted { $0.lowerBound < $1.lowerBound }
        for (part, next) in zip(parts, parts.dropFirst()) where part.upperBound > next.lowerBound {
            return nil
        }
        let left = usable - content - parts.reduce(0) { $0 + $1.count }
        guard left == Int(page[start + 7]) else { return nil }
        unused = [gap..<content] + free.map { $0.lowerBound + 4..<$0.upperBound }
        self.children = children
    }

    /// The kinds of pages that a tree has.
    private enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isInterior: Bool { self == .interiorIndex || self == .interiorTable }

        /// The bytes of a cell that begins where the slice does; `nil` when it does not end.
        func size(_ cell: ArraySlice<UInt8>, usable: Int) -> Int? {
            var rest = cell.dropFirst(isInterior ? 4 : 0)
            func variable() -> UInt64? {
                var value: UInt64 = 0
                for place in 0..<9 {
                    guard let byte = rest.popFirst() else { return nil }
                    if place == 8 { return value << 8 | UInt64(byte) }
                    value = value << 7 | UInt64(byte & 0x7f)
                    if byte < 0x80 { return value }
                }
                return nil
            }
            guard let first = variable() else { return nil }
            if self == .interiorTable { return max(4, cell.count - rest.count) }
            if self == .leafTable, variable() == nil { return nil }
            guard let payload = Int(exactly: first) else { return nil }
            let most = self == .leafTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
            var local = payload
            if payload > most {
                let least = (usable - 12) * 32 / 255 - 23
                let kept = least + (payload - least) % (usable - 4)
                local = (kept <= most ? kept : least) + 4
            }
            return max(4, cell.count - rest.count + local)
        }
    }
}
