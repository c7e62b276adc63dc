import Samples
import TestSupport
import Testing

@testable import Auth

/// Pruning the log to its budget, by whole days and never the last week.
struct AccessLogBudgetTests {
    private static let day: Int64 = 86_400_000_000
    private static let perDay = 300

    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static func entry(_ time: Timestamp, _ count: Int) -> AccessLogEntry {
        AccessLogEntry(
            id: 0, time: time, kind: .access, client: "app", privilege: nil, sensor: "cpu",
            access: .raw, operation: "latest", range: nil, calls: 1, count: count, detail: nil,
            clientKind: .app)
    }

    /// A log of some days that ends now.
    ///
    /// - Parameter first: the time of an entry before all others.
    private func log(
        days: Int, budget: Int64, first: Timestamp? = nil
    ) async throws -> AccessLog {
        let store = AccessLogStore(
            writer: try AuthDatabase(path: fixture.path).writer, seal: LogSeal(beside: fixture.path)
        )
        if let first { _ = try await store.append([Self.entry(first, 0)]) }
        // The middle of the first day.
        let start = fixture.clock.now().microseconds / Self.day * Self.day + Self.day / 2
        for day in 0..<Int64(days) {
            _ = try await store.append(
                (0..<Self.perDay).map { number in
                    let offset = day * Self.day + Int64(number) * (Self.day / Int64(Self.perDay))
                    return Self.entry(Timestamp(microseconds: start + offset), number)
                })
        }
        let end = start + Int64(days) * Self.day
        fixture.clock.advance(by: .microseconds(end - fixture.clock.now().microseconds))
        return AccessLog(store, budget: budget, time: fixture.clock)
    }

    private func entries(_ log: AccessLog) async throws -> [AccessLogEntry] {
        try await log.entries(AccessLogQuery(limit: 100_000)).reversed()
    }

    @Test func `a changed budget applies at once`() async throws {
        let log = try await log(days: 20, budget: .max)
        await log.keepBudget()
        let before = try await entries(log).count
        #expect(before >= 20 * Self.perDay)
        await log.keepBudget()
        #expect(try await entries(log).count == before)
        await log.keep(budget: 50_000)
        #expect(await log.budget == 50_000)
        await log.keepBudget()
        #expect(try await entries(log).count < before)
    }

    @Test(arguments: [50_000, 300_000, 400_000, 500_000] as [Int64])
    func `the oldest whole days are pruned until the log fits, except the last week`(
        budget: Int64
    ) async throws {
        let log = try await log(days: 20, budget: budget)
        let before = try await log.size()
        await log.keepBudget()
        let left = try await entries(log)
        let youngest = fixture.clock.now().advanced(
            byMicroseconds: -AccessLog.minimumAge.wholeMicroseconds)
        let reads = left.filter { $0.kind == .access }
        let oldest = try #require(reads.first?.time)
        #expect(before > budget)
        #expect(reads.count < 20 * Self.perDay)
        // A day begins with its first entry after midnight.
        #expect(oldest.microseconds % Self.day < Self.day / Int64(Self.perDay))
        // The log of the last week is complete.
        let recent = reads.count { $0.time >= youngest }
        #expect(recent == 7 * Self.perDay)
        let isWithin = try await log.size() <= budget
        let nextDay = oldest.microseconds / Self.day * Self.day + Self.day
        #expect(isWithin || nextDay > youngest.microseconds)
        let last = try #require(left.last)
        #expect(last.kind == .pruned)
        let report = try await AccessLogVerification(path: fixture.path).run()
        #expect(report.isIntact)
        #expect(Int64(last.count) == report.prunedCount)
    }

    @Test func `a log within its budget is not pruned`() async throws {
        let log = try await log(days: 20, budget: .max)
        await log.keepBudget()
        #expect(try await entries(log).count == 20 * Self.perDay)
    }

    @Test func `an entry dated years ahead by a wrong clock does not prevent pruning`()
        async throws
    {
        let far = fixture.clock.now().advanced(byMicroseconds: 3650 * Self.day)
        let log = try await log(days: 20, budget: 50_000, first: far)
        await log.keepBudget()
        #expect(try await entries(log).count <= 8 * Self.perDay + 20)
        #expect(try await AccessLogVerification(path: fixture.path).run().isIntact)
    }

    @Test func `the budget is checked once an hour`() async throws {
        let log = try await log(days: 9, budget: 50_000)
        await log.keepBudget()
        let first = try await entries(log).count
        fixture.clock.advance(by: .seconds(3599))
        await log.keepBudget()
        #expect(try await entries(log).count == first)
        fixture.clock.advance(by: .seconds(86_400))
        await log.keepBudget()
        let second = try await entries(log).count
        #expect(second < first)
    }
}
