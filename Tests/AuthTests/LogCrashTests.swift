import Foundation
import TestSupport
import Testing

@testable import Auth

/// A process that is killed while it writes the access log.
@Suite(.blocking)
struct LogCrashTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    @Test func `a host killed while it writes leaves a valid chain without missing entries`()
        async throws
    {
        let fixture = try AuthorityFixture()
        for cycle in 0..<(Self.isLong ? 100 : 8) {
            let acknowledged = try KilledWriter.run([fixture.path], until: 1 + cycle % 5)
            let report = try await AccessLogVerification(path: fixture.path).run()
            #expect(report.isIntact, "cycle \(cycle): \(report)")
            #expect(report.entryCount >= acknowledged)
        }
        #expect(try await AccessLogVerification(path: fixture.path).run().entryCount > 8)
    }
}
