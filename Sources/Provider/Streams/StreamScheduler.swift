public import Samples

/// Lets the sample streams of a host write one after the other, at times that the host chooses.
///
/// For virtual time: the output of a stream then depends only on that time.
///
/// ```swift
/// let streams = StreamScheduler()
/// // … a provider with these streams, an app that opened some of them …
/// await streams.runOnce()
/// ```
public actor StreamScheduler {
    private struct Entry {
        var sensors: Set<SensorID>
        let wake: AsyncStream<Void>.Continuation
        /// Resumed when the stream has caught up.
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The registration of an open stream.
    struct Registration: Sendable {
        let number: Int
        /// Yields when the stream has to catch up.
        let turns: AsyncStream<Void>
    }

    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0

    /// Creates a scheduler without streams.
    public init() {}

    /// The sensors of the open streams.
    public var sensors: Set<SensorID> {
        entries.values.reduce(into: []) { $0.formUnion($1.sensors) }
    }

    /// Lets each open stream write the samples that have arrived, in the order of opening.
    public func runOnce() async {
        for number in entries.keys.sorted() {
            await withCheckedContinuation { waiter in
                guard let wake = entries[number]?.wake else { return waiter.resume() }
                entries[number]?.waiter = waiter
                wake.yield()
            }
        }
    }

    /// Registers a stream until `leave`, or until its turns are discarded.
    func join(_ sensors: [SensorID]) -> Registration {
        lastNumber += 1
        let number = lastNumber
        let (turns, wake) = AsyncStream.makeStream(of: Void.self)
        wake.onTermination = { _ in Task { await self.leave(number) } }
        entries[number] = Entry(sensors: Set(sensors), wake: wake)
        return Registration(number: number, turns: turns)
    }

    /// Adds sensors to those of a stream.
    func add(_ sensors: [SensorID], to number: Int) {
        entries[number]?.sensors.formUnion(sensors)
    }

    /// Called by a stream that has caught up.
    func finishTurn(_ number: Int) {
        entries[number]?.waiter?.resume()
        entries[number]?.waiter = nil
    }

    func leave(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        entry.waiter?.resume()
        entry.wake.finish()
    }
}
