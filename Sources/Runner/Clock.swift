/// The clock of timers and of `performance.now()`: monotonic, or virtual time set by the host.
struct Clock {
    private let start = SuspendingClock.now
    /// Virtual time in nanoseconds after the start; `nil` for the machine's clock.
    private var virtual: UInt64?

    /// Nanoseconds since the start, in virtual time if the host sets it.
    var now: UInt64 { virtual ?? monotonic }

    /// Nanoseconds since the start of the process.
    var monotonic: UInt64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }

    /// Whether the host sets the time.
    var isVirtual: Bool { virtual != nil }

    /// Sets virtual time, which never runs backwards.
    mutating func set(_ time: UInt64) {
        virtual = max(time, virtual ?? 0)
    }
}

/// Timers in the order in which they fire: by deadline, then in the order of setting.
struct TimerQueue {
    /// Nanoseconds, as ``Clock/now`` gives them.
    typealias Instant = UInt64

    private struct Entry {
        let deadline: Instant
        let order: UInt64
        let id: UInt32

        func precedes(_ other: Entry) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    /// Timers that do not keep the run alive, such as the timer of `AbortSignal.timeout`.
    private var background: Set<UInt32> = []
    private var entries: [Entry] = []
    private var byID: [UInt32: Entry] = [:]
    private var order: UInt64 = 0

    /// Whether a timer keeps the run alive.
    var keepsRunAlive: Bool { entries.count > background.count }

    /// When the next timer fires.
    var deadline: Instant? { entries.first?.deadline }

    /// Sets or resets timer `id`.
    mutating func set(_ id: UInt32, at deadline: Instant, isBackground: Bool) {
        clear(id)
        if isBackground { background.insert(id) }
        order += 1
        let entry = Entry(deadline: deadline, order: order, id: id)
        entries.insert(entry, at: position(of: entry))
        byID[id] = entry
    }

    mutating func clear(_ id: UInt32) {
        background.remove(id)
        guard let entry = byID.removeValue(forKey: id) else { return }
        entries.remove(at: position(of: entry))
    }

    /// Removes the first timer that is due at `now` and was set before the mark `limit`.
    mutating func takeDue(at now: Instant, setBefore limit: UInt64) -> UInt32? {
        guard let first = entries.first, first.deadline <= now, first.order <= limit else {
            return nil
        }
        entries.removeFirst()
        byID[first.id] = nil
        background.remove(first.id)
        return first.id
    }

    /// Separates the timers set so far from later ones.
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

/// Reproducible random numbers, for runs in virtual time.
///
/// SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
