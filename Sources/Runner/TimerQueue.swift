/// Timers in the order in which they fire: by deadline, then by when they were set.
struct TimerQueue {
    /// Nanoseconds of the monotonic clock.
    typealias Instant = UInt64

    private struct Entry {
        let deadline: Instant
        let order: UInt64
        let id: UInt32

        func precedes(_ other: Entry) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    private var entries: [Entry] = []
    private var byID: [UInt32: Entry] = [:]
    private var order: UInt64 = 0

    var count: Int { entries.count }

    /// When the next timer fires.
    var deadline: Instant? { entries.first?.deadline }

    /// Sets timer `id`, also when it is set already.
    mutating func set(_ id: UInt32, at deadline: Instant) {
        clear(id)
        order += 1
        let entry = Entry(deadline: deadline, order: order, id: id)
        entries.insert(entry, at: position(of: entry))
        byID[id] = entry
    }

    mutating func clear(_ id: UInt32) {
        guard let entry = byID.removeValue(forKey: id) else { return }
        entries.remove(at: position(of: entry))
    }

    /// Takes the first timer that is due at `now` and was set before `limit` was read.
    mutating func takeDue(at now: Instant, setBefore limit: UInt64) -> UInt32? {
        guard let first = entries.first, first.deadline <= now, first.order <= limit else {
            return nil
        }
        entries.removeFirst()
        byID[first.id] = nil
        return first.id
    }

    /// Timers that are set from now on come after this mark.
    var mark: UInt64 { order }

    private func position(of entry: Entry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].precedes(entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
