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
        let daemon = try await RealGPSD(delay: .seconds(50))
        let driver = LocationDriver(port: daemon.port, timeout: Program.patience)
        try await until { driver.discover().allSatisfy { !$0.isUnavailable } }
        let found = driver.discover()
        #expect(
            found.map(\.sensor.id) == ["location", "satellites", "location-quality", "gps-time"])
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
                    // The simulated receiver reports hundredths of a second.
                    #expect(abs(values[0] * 100 - (values[0] * 100).rounded()) < 1e-3)
                    #expect(abs(arrival - values[0] - values[1]) < 1e-5)
                }
                continue
            }
            if item.sensor.id == "location-quality" {
                let modes = samples.compactMap { $0.values.first }
                #expect(modes.allSatisfy { [.integer(2), .integer(3)].contains($0) })
                let hdop = item.sensor.fields.firstIndex { $0.name == "hdop" }
                #expect(try samples.last?.values[#require(hdop)] == .number(1.5))
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

    @Test func `a receiver that is plugged in after gpsd was started is no longer missing`()
        async throws
    {
        let daemon = try await RealGPSD(delay: .zero, isPluggedIn: false)
        let driver = LocationDriver(port: daemon.port, timeout: Program.patience)
        try await until { driver.discover().allSatisfy { !$0.isUnavailable } }
        let found = try #require(driver.discover().first)
        guard case .pushed(let source) = found.availability else { return }
        let samples = source.samples()
        try await until { source.report?.problem?.hasSuffix("has no receiver.") == true }
        try daemon.plugIn()
        try await until { source.report?.accepted ?? 0 > 0 }
        #expect(source.report?.problem == nil)
        withExtendedLifetime(samples) {}
    }

    @Test func `positions of a receiver with a wrong date arrive with the time of arrival`()
        async throws
    {
        let begin = Timestamp.now()
        // gpsd itself adds 1024 weeks to dates before its release, so this one is as far ahead.
        let daemon = try await RealGPSD(delay: .seconds(-1024 * 7 * 86_400))
        let driver = LocationDriver(port: daemon.port, timeout: Program.patience)
        try await until { driver.discover().allSatisfy { !$0.isUnavailable } }
        guard case .pushed(let source) = driver.discover().first?.availability else { return }
        var samples = source.samples().makeAsyncIterator()
        var last = begin
        repeat {
            let sample = try #require(try await samples.next())
            #expect(sample.time >= last && sample.time <= .now())
            last = sample.time
        } while source.report?.problem == nil
        #expect(source.report?.problem?.contains("1024 weeks ahead") == true)
        #expect(source.report?.dropped.total == 0)
    }
}
