import AppStorage
import Foundation
import TestSupport
import Testing

@testable import Auth

/// A process that is killed while it stores values of an app.
@Suite(.blocking)
struct StorageCrashTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"

    @Test
    func `a killed host has lost no acknowledged value and stored none partially`()
        async throws
    {
        let fixture = try AuthorityFixture()
        var last = 0
        for cycle in 0..<(Self.isLong ? 100 : 8) {
            let acknowledged = try KilledWriter.run(
                [fixture.path, "storage"], until: 2 + cycle * 7 % 20)
            let authority = try await fixture.open()
            let client = Client(name: "keeper", kind: .app, run: nil)
            var numbers: [Int] = []
            for key in ["a", "b"] {
                let value = try await authority.storage(of: client).value(of: StorageKey(key))
                numbers.append(Int(String(decoding: value?.bytes ?? [], as: UTF8.self)) ?? 0)
            }
            #expect(numbers[0] == numbers[1], "cycle \(cycle)")
            #expect(numbers[0] >= max(last, acknowledged), "cycle \(cycle)")
            last = numbers[0]
        }
        #expect(last > 8)
    }
}
