import Foundation
import Samples
import TestSupport
import Testing
import Tracks
import VM

@testable import Connectors

/// Debian's gpsd with a simulated receiver.
@Suite(
    .timeLimit(.minutes(10)), .enabled(if: FileManager.default.fileExists(atPath: RealGPSD.program))
)
struct RealGPSDTests {
    @Test func `the position of a receiver arrives through gpsd`() async throws {
        let begin = Timestamp.now()
        let daemon = try await RealGPSD(first: .now().advanced(byMicroseconds: -600_000_000))
        let driver = LocationDriver(port: daemon.port, timeout: Program.patience)
        try await until { driver.discover().allSatisfy { !$0.isUnavailable } }
        let found = driver.discover()
        #expect(found.map(\.sensor.id) == ["location", "satellites", "gps-time"])
        for item in found {
            guard case .pushed(let source) = item.availability else { continue }
            let supervised = try #require(source as? SupervisedSource)
            let samples = try await supervised.take(8)
            if item.sensor.id == "satellites" {
                #expect(samples.last?.values == [.integer(5), .integer(6)])
                continue
            }
            if item.sensor.id == "gps-time" {
                for sample in samples {
                    let values = sample.values.compactMap(\.double)
                    let arrival = Double(sample.time.microseconds) / 1e6
                    // The simulated receiver reports whole seconds.
                    #expect(values[0] == values[0].rounded())
                    #expect(abs(arrival - values[0] - values[1]) < 1e-5)
                }
                continue
            }
            // Until the receiver reports a date, a fix has its arrival time.
            let fixes = samples.compactMap { Fix($0, fields: Fix.fields) }
                .filter { $0.time < begin }
            #expect(fixes.count >= 5)
            for (earlier, later) in zip(fixes, fixes.dropFirst()) {
                #expect(later.time > earlier.time)
                #expect(later.position.latitude > earlier.position.latitude)
            }
            let fix = try #require(fixes.last)
            #expect(abs(fix.position.latitude - 47.5) < 0.5)
            #expect(abs(fix.position.longitude - 8.25) < 1e-6)
            #expect(fix.altitude.map { abs($0 - 450) < 0.1 } == true)
            // 10 knots to the north-east.
            #expect(fix.speed.map { abs($0 - 5.144) < 0.01 } == true)
            #expect(fix.heading.map { abs($0 - 45) < 0.1 } == true)
            #expect(fix.accuracy.map { $0 > 0 && $0 < 100 } == true)
            #expect(supervised.report?.dropped.malformed == 0)
        }
        daemon.stop()
        try await until { driver.discover().allSatisfy(\.isUnavailable) }
    }
}
