public import Samples

/// Lets the live streams of a host catch up one after the other, when somebody says so.
///
/// For a host whose time does not pass by itself: what a stream says is then said at a moment that
/// hangs on nothing but that time.
public actor StreamTurns {
    private struct Place {
        let sensor: SensorID
        let wake: AsyncStream<Void>.Continuation
        /// Whoever waits until it has caught up.
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What a stream has while it is open.
    struct Ticket: Sendable {
        let number: Int
        /// Yields when the stream is to catch up.
        let turns: AsyncStream<Void>
    }

    private var places: [Int: Place] = [:]
    private var last = 0

    public init() {}

    /// The sensors that open streams wait for.
    public var sensors: Set<SensorID> { Set(places.values.map(\.sensor)) }

    /// Lets every open stream say what has arrived for it, in the order in which they were opened.
    public func goRound() async {
        for number in places.keys.sorted() {
            await withCheckedContinuation { waiter in
                guard let wake = places[number]?.wake else { return waiter.resume() }
                places[number]?.waiter = waiter
                wake.yield()
            }
        }
    }

    /// Opens a place; it is left with `leave`, or when nobody has its turns any more.
    func join(_ sensor: SensorID) -> Ticket {
        last += 1
        let number = last
        let (turns, wake) = AsyncStream.makeStream(of: Void.self)
        wake.onTermination = { _ in Task { await self.leave(number) } }
        places[number] = Place(sensor: sensor, wake: wake)
        return Ticket(number: number, turns: turns)
    }

    /// Says that a stream has caught up.
    func done(_ number: Int) {
        places[number]?.waiter?.resume()
        places[number]?.waiter = nil
    }

    func leave(_ number: Int) {
        guard let place = places.removeValue(forKey: number) else { return }
        place.waiter?.resume()
        place.wake.finish()
    }
}
