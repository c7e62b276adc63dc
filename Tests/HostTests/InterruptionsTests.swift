import Synchronization
import Testing

@testable import Host

@Suite(.timeLimit(.minutes(10)))
struct InterruptionsTests {
    /// Counts the forced terminations.
    private final class Terminations: Sendable {
        let count = Mutex(0)
        func add() { count.withLock { $0 += 1 } }
    }

    private let terminations = Terminations()
    private let interruptions: Interruptions

    init() { interruptions = Interruptions { [terminations] in terminations.add() } }

    private func hears(_ stream: AsyncStream<Void>) async -> Bool {
        await stream.first { true } != nil
    }

    @Test func `every listener gets the signal`() async {
        let streams = [interruptions.subscribe(), interruptions.subscribe()]
        interruptions.deliver()
        for stream in streams { #expect(await hears(stream)) }
        #expect(terminations.count.withLock { $0 } == 0)
    }

    @Test func `a signal without a listener is delivered to the next listener, once`() async {
        let before = Task { [stream = interruptions.subscribe()] in await hears(stream) }
        before.cancel()
        #expect(await !before.value)
        interruptions.deliver()
        #expect(await hears(interruptions.subscribe()))
        let after = Task { [stream = interruptions.subscribe()] in await hears(stream) }
        after.cancel()
        #expect(await !after.value)
        #expect(terminations.count.withLock { $0 } == 0)
    }

    @Test func `a second undelivered signal terminates`() async {
        interruptions.deliver()
        #expect(terminations.count.withLock { $0 } == 0)
        interruptions.deliver()
        #expect(terminations.count.withLock { $0 } == 1)
    }

    /// At every moment of the end of a listener, either it or the next listener gets
    /// the signal.
    @Test func `no signal is lost between two listeners`() async {
        for _ in 1...2_000 {
            let first = Task { [stream = interruptions.subscribe()] in await hears(stream) }
            let telling = Task { interruptions.deliver() }
            first.cancel()
            let isHeard = await first.value
            await telling.value
            let second = Task { [stream = interruptions.subscribe()] in await hears(stream) }
            if isHeard { second.cancel() }
            #expect(await second.value != isHeard)
        }
        #expect(terminations.count.withLock { $0 } == 0)
    }
}
