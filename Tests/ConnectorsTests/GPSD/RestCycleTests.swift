import Ingest
import Samples
import Synchronization
import TestSupport
import Testing
import Tracks
import VM

@testable import Connectors

/// A stationary receiver is suspended and checked periodically.
@Suite(.timeLimit(.minutes(10)))
struct RestCycleTests {
    private static let start = Timestamp.now().advanced(byMicroseconds: -7_200_000_000)

    private static func fix(_ second: Double, north metres: Double = 0) throws -> Fix {
        Fix(
            time: start.advanced(byMicroseconds: Int64(second * 1_000_000)),
            position: try #require(Position(latitude: metres / 110_574, longitude: 8)))
    }

    /// Simulates a receiver of one fix per second that is suspended as the cycle decides.
    ///
    /// - Parameter north: the distance moved after some seconds, in metres.
    /// - Returns: the seconds at which it reported a fix.
    private static func play(
        _ seconds: Int, after: Duration = .seconds(300), every: Duration = .seconds(20),
        north: (Int) -> Double
    ) throws -> [Int] {
        var cycle = RestCycle(after: after, every: every)
        var reported: [Int] = []
        var silentUntil = 0
        for second in 0..<seconds where second >= silentUntil {
            reported.append(second)
            if cycle.take(try fix(Double(second), north: north(second))) {
                silentUntil = second + Int(every.components.seconds)
            }
        }
        return reported
    }

    @Test func `a stationary receiver reports a twentieth of its fixes`() throws {
        let reported = try Self.play(3900) { _ in 0 }
        #expect(reported.prefix(301) == ArraySlice(0...300))
        #expect(reported.dropFirst(301) == ArraySlice(Array(stride(from: 320, to: 3900, by: 20))))
    }

    @Test func `a receiver within 10 m is suspended, a moving one is not`() throws {
        #expect(try Self.play(3600) { Double($0 % 2) * 9.9 }.count < 500)
        #expect(try Self.play(3600) { Double($0) * 0.1 }.count == 3600)
        // Back and forth over more than 10 m.
        #expect(try Self.play(3600) { Double($0 / 60 % 2) * 11 }.count == 3600)
    }

    @Test func `a movement resumes all fixes after one check`() throws {
        let reported = try Self.play(2000) { $0 < 1000 ? 0 : Double($0 - 1000) * 1.4 }
        let moving = reported.filter { $0 >= 1000 }
        #expect(try #require(moving.first { Double($0 - 1000) * 1.4 >= 10 }) <= 1027)
        #expect(moving.suffix(970) == ArraySlice(1030..<2000))
    }

    @Test func `a fix that arrives just after suspension does not count as a check`() throws {
        var cycle = RestCycle(after: .seconds(60))
        #expect(!cycle.take(try Self.fix(0)))
        #expect(cycle.take(try Self.fix(60)))
        #expect(!cycle.take(try Self.fix(61)))
        #expect(cycle.take(try Self.fix(80)))
    }

    @Test func `a clock that is set back restarts the cycle`() throws {
        var cycle = RestCycle(after: .seconds(60))
        #expect(!cycle.take(try Self.fix(1000)))
        #expect(!cycle.take(try Self.fix(0)))
        #expect(!cycle.take(try Self.fix(59)))
        #expect(cycle.take(try Self.fix(61)))
    }

    /// Waits that end when the test calls `open`.
    private final class Gate: Sendable {
        private let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        private let waits = Mutex<[Duration]>([])

        var asked: [Duration] { waits.withLock { $0 } }

        func sleep(_ span: Duration) async throws {
            waits.withLock { $0.append(span) }
            for await _ in ticks { return }
            throw CancellationError()
        }

        func open() { tick.yield() }
    }

    @Test func `gpsd suspends the receiver and reports one fix after each suspension`()
        async throws
    {
        func line(_ fix: Fix) -> [UInt8] {
            let text =
                #"{"class":"TPV","mode":3,"time":"\#(fix.time)","lat":\#(fix.position.latitude),"#
                + #""lon":8}"# + "\r\n"
            return Array(text.utf8)
        }
        let (still, later, again, moved) = (
            try Self.fix(0), try Self.fix(60), try Self.fix(80), try Self.fix(100, north: 50)
        )
        let script = ScriptedServer.Script(
            greeting: #"{"class":"VERSION","release":"3.22"}"# + "\r\n",
            answer: line(still) + line(later),
            later: [[], line(again), [], line(moved)])
        let server = try await ScriptedServer { _ in script }
        let gate = Gate()
        let source = SupervisedSource(
            GPSDConnector(
                port: server.port, rest: RestCycle(after: .seconds(60)),
                time: ScriptedTime(
                    clock: { Self.start.advanced(byMicroseconds: 60_000_000) },
                    wait: { try await gate.sleep($0) })),
            maker: try SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) }),
            highestRate: SupervisedSource.standardRate, time: ScriptedTime.withoutWaiting)
        var times: [Timestamp] = []
        let (watch, rest) = (
            #"?WATCH={"enable":true,"json":true}"# + "\n", #"?WATCH={"enable":false}"# + "\n"
        )
        for try await sample in source.samples() {
            times.append(sample.time)
            if times.count == 2 || times.count == 3 {
                // It stays suspended as long as the test does not advance time.
                let rests = times.count - 1
                try await until { server.received.filter { $0 == rest }.count == rests }
                try await until { gate.asked.count == rests }
                gate.open()
            }
            if times.count == 4 { break }
        }
        #expect(times == [still, later, again, moved].map(\.time))
        #expect(server.received == [watch, rest, watch, rest, watch])
        #expect(gate.asked == [.seconds(20), .seconds(20)])
        #expect(server.connections == 1)
    }
}
