/// How many numbers each bucket holds, in pages of neighbouring buckets, without empty pages.
struct BucketCounts: Hashable, Sendable {
    private static let pageShift: Int32 = 4
    private static let pageLength = 1 << Int(pageShift)

    /// The numbers of the pages, ascending.
    private var pages: [Int32] = []
    /// Page after page; what is above 32 bits stands in `carries`.
    private var counts: [UInt32] = []
    private var carries: [Int32: UInt32] = [:]
    private(set) var total = 0

    mutating func add(_ amount: UInt64, to bucket: LogarithmicBucket) {
        guard amount > 0 else { return }
        let place = place(of: bucket.index)
        let sum = UInt64(counts[place]) + (amount & 0xFFFF_FFFF)
        counts[place] = UInt32(truncatingIfNeeded: sum)
        let carry = UInt32(truncatingIfNeeded: (sum >> 32) + (amount >> 32))
        if carry > 0 { carries[bucket.index, default: 0] += carry }
        total += Int(amount)
    }

    /// Calls with every bucket that holds something, the lowest first.
    func forEach(_ body: (LogarithmicBucket, UInt64) -> Void) {
        for page in pages.indices {
            for place in 0..<Self.pageLength {
                let count = counts[page * Self.pageLength + place]
                let index = pages[page] << Self.pageShift + Int32(place)
                let whole = UInt64(count) + carry(of: index)
                if whole > 0 { body(LogarithmicBucket(index: index), whole) }
            }
        }
    }

    /// The bucket that holds the number of a rank, 0 being that of the lowest; `nil` beyond the last.
    func bucket(ofRank rank: Int) -> LogarithmicBucket? {
        var rest = UInt64(rank)
        for place in counts.indices {
            let (page, offset) = (place >> Int(Self.pageShift), place & (Self.pageLength - 1))
            let index = pages[page] << Self.pageShift + Int32(offset)
            let count = UInt64(counts[place]) + carry(of: index)
            if rest < count { return LogarithmicBucket(index: index) }
            rest -= count
        }
        return nil
    }

    private func carry(of index: Int32) -> UInt64 {
        carries.isEmpty ? 0 : UInt64(carries[index] ?? 0) << 32
    }

    /// Where the count of a bucket stands, after making room for it.
    private mutating func place(of index: Int32) -> Int {
        let page = index >> Self.pageShift
        let offset = Int(index) & (Self.pageLength - 1)
        if pages.last == page { return (pages.count - 1) * Self.pageLength + offset }
        var lower = 0
        var upper = pages.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if pages[middle] < page { lower = middle + 1 } else { upper = middle }
        }
        if lower == pages.count || pages[lower] != page { open(page, at: lower) }
        return lower * Self.pageLength + offset
    }

    private mutating func open(_ page: Int32, at place: Int) {
        // Growing by doubling would let the largest sketch take twice its size.
        if pages.count == pages.capacity {
            pages.reserveCapacity(pages.count + pages.count / 8 + 2)
        }
        if counts.count + Self.pageLength > counts.capacity {
            counts.reserveCapacity(counts.count + counts.count / 8 + Self.pageLength)
        }
        pages.insert(page, at: place)
        counts.insert(
            contentsOf: repeatElement(0, count: Self.pageLength), at: place * Self.pageLength)
    }
}
