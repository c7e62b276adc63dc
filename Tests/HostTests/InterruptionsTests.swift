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

    private func receives(_ stream: AsyncStream<Void>) async -> Bool {
        await stream.first { true } != nil
    }

    @Test func `every listener gets the signal`() async {
        let streams = [interruptions.subscribe(), interruptions.subscribe()]
        interruptions.deliver()
        for stream in streams { #expect(await receives(stream)) }
        #expect(terminations.count.withLock { $0 } == 0)
    }

    @Test func `a signal without a listener is delivered to the next listener, once`() async {
        let before = Task { [stream = interruptions.subscribe()] in await receives(stream) }
        before.cancel()
        #expect(await !before.value)
        interruptions.deliver()
        #expect(await receives(interruptions.subscribe()))
        let after = Task { [stream = interruptions.subscribe()] in await receives(stream) }
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

    @Test func `a signal while a listener ends is received by it or by the next one`() async {
        for _ in 1...2_000 {
            let first = Task { [stream = interruptions.subscribe()] in await receives(stream) }
            let delivery = Task { interruptions.deliver() }
            first.cancel()
            let wasReceived = await first.value
            await delivery.value
            let second = Task { [stream = interruptions.subscribe()] in await receives(stream) }
            if wasReceived { second.cancel() }
            #expect(await second.value != wasReceived)
        }
        #expect(terminations.count.withLock { $0 } == 0)
    }
}
