import Samples
import Testing

/// The clock offset of a source, estimated from times of messages and of their arrival.
struct ClockOffsetTests {
    private static let start = Timestamp(microseconds: 1_700_000_010_000_000)

    /// The filter after all messages of a source whose clock is `ahead`; all numbers are seconds.
    private static func filter(
        _ messages: [(sent: Double, delay: Double)], ahead: Double
    ) -> ClockFilter {
        var filter = ClockFilter()
        for (sent, delay) in messages {
            filter.take(
                ClockReading(stamp: at(sent + ahead), arrival: at(sent + delay)))
        }
        return filter
    }

    private static func at(_ seconds: Double) -> Timestamp {
        start.advanced(byMicroseconds: Int64((seconds * 1e6).rounded()))
    }

    @Test func `nothing is known without messages`() {
        #expect(ClockFilter().offset == nil)
    }

    @Test(arguments: [-3600.0, -7, -0.25, 0, 0.25, 7, 3600])
    func `the message of least delay counts, and buffered ones do not`(ahead: Double) throws {
        // Most wait up to ten minutes in a buffer; one in each minute is fast.
        var messages: [(sent: Double, delay: Double)] = []
        for index in 0..<600 {
            let buffered = Double(index * 37 % 600) + 0.5
            messages.append((Double(index), index % 60 == 30 ? 0.02 : buffered))
        }
        messages.removeAll { $0.sent + $0.delay >= 600 }
        messages.sort { $0.sent + $0.delay < $1.sent + $1.delay }
        let offset = try #require(Self.filter(messages, ahead: ahead).offset)
        #expect(offset.ahead == .microseconds(Int64(((ahead - 0.02) * 1e6).rounded())))
        #expect(offset.isSettled)
    }

    @Test func `the estimate is a lower bound whatever the delays`() throws {
        for round in 0..<200 {
            let ahead = Double(round * 104_729 % 20_000) - 10_000
            let messages = (0..<50).map { index in
                (sent: Double(index * 30), delay: Double((index + round) * 7919 % 1000))
            }
            let offset = try #require(Self.filter(messages, ahead: ahead).offset)
            #expect(offset.ahead <= .seconds(ahead))
        }
    }

    @Test func `a clock that was corrected is noticed after eight minutes of messages`() throws {
        var filter = Self.filter((0..<600).map { (Double($0), 0) }, ahead: 100)
        for second in 600..<1200 {
            let time = Self.at(Double(second))
            filter.take(ClockReading(stamp: time, arrival: time))
            let ahead = try #require(filter.offset).ahead
            #expect(ahead == .seconds(second < 600 + 7 * 60 ? 100 : 0))
        }
        #expect(filter.offset?.ahead == .zero)
    }

    @Test(arguments: [
        // Seconds ahead, messages, and whether the owner should act.
        (4.9, 1, false), (5.1, 1, true), (-5.1, 1, false), (-5.1, 7, false), (-5.1, 8, true),
        (-4.9, 8, false),
    ])
    func `a clock ahead counts as wrong at once, one behind only after eight minutes`(
        ahead: Double, count: Int, isWrong: Bool
    ) throws {
        let messages = (0..<count).map { (Double($0) * 60, 0.0) }
        #expect(try #require(Self.filter(messages, ahead: ahead).offset).isWrong == isWrong)
    }

    @Test func `recorded samples and invalid timestamps do not count for a clock offset`() {
        for stamp in [-86_401.0, 86_401] {
            var filter = ClockFilter()
            filter.take(ClockReading(stamp: Self.at(stamp), arrival: Self.at(0)))
            #expect(filter.offset == nil)
        }
        var filter = ClockFilter()
        filter.take(ClockReading(stamp: .distantPast, arrival: .distantFuture))
        filter.take(ClockReading(stamp: .distantFuture, arrival: .distantPast))
        #expect(filter.offset == nil)
    }

    @Test func `a host clock that is set back begins another period`() throws {
        var filter = Self.filter([(0, 0), (1, 0)], ahead: 0)
        for minute in 0..<8 {
            let sent = Double(minute) * 60
            filter.take(ClockReading(stamp: Self.at(sent), arrival: Self.at(sent - 3600)))
        }
        #expect(try #require(filter.offset).ahead == .seconds(3600))
    }

    @Test func `an earlier estimate counts as one period`() throws {
        let known = ClockOffset(ahead: .seconds(30), measured: Self.start, isSettled: true)
        var filter = ClockFilter(resuming: known)
        #expect(filter.offset?.ahead == .seconds(30))
        #expect(filter.offset?.measured == Self.start)
        for minute in 1...8 {
            let time = Self.at(Double(minute) * 60)
            filter.take(ClockReading(stamp: time, arrival: time))
            #expect(filter.offset?.ahead == (minute < 8 ? .seconds(30) : .zero))
        }
    }
}
