import Samples
import Testing

@testable import VM

/// The clock that an NTP client keeps right.
struct ClockOffsetDriverTests {
    private static let synchronised = ClockOffsetDriver.State(
        isSynchronised: true, offset: -0.000_125, estimatedError: 0.000_5, maximumError: 0.012,
        frequency: -11.5)

    @Test func `the offset and its errors are in seconds`() throws {
        let discovery = Discovery(ClockOffsetDriver { Self.synchronised })
        #expect(
            try discovery.values("clock-offset") == [
                "offset": .number(-0.000_125), "estimatedError": .number(0.000_5),
                "maximumError": .number(0.012), "frequency": .number(-11.5),
            ])
        let units = try discovery.sensor("clock-offset").fields.map(\.unit)
        #expect(units == ["s", "s", "s", "[ppm]"])
    }

    @Test func `without a client that keeps the clock right it is missing`() throws {
        let free = ClockOffsetDriver.State(
            isSynchronised: false, offset: 0, estimatedError: 16, maximumError: 16, frequency: 0)
        let missing = try Discovery(ClockOffsetDriver { free }).missing("clock-offset")
        #expect(missing.reason.contains("no NTP client"))
        #expect(missing.remedy?.contains("set-ntp true") == true)
    }

    @Test func `where the system call is denied the remedy names the setting of the service`()
        throws
    {
        let denied = ClockOffsetDriver { () throws(SensorError) in
            throw SensorError(.unreadable, "operation not permitted")
        }
        let missing = try Discovery(denied).missing("clock-offset")
        #expect(missing.reason == "operation not permitted")
        #expect(missing.remedy?.contains("ProtectClock=no") == true)
    }

    @Test func `the kernel of this machine reports errors below its limit, or nothing`() throws {
        let discovery = Discovery(ClockOffsetDriver())
        if let missing = try? discovery.missing("clock-offset") {
            #expect(missing.remedy != nil)
            return
        }
        let values = try discovery.values("clock-offset").compactMapValues(\.double)
        // The kernel withdraws the synchronisation above 16 s, and slews at most 500 ppm.
        for name in ["estimatedError", "maximumError"] {
            #expect((0...16).contains(values[name] ?? -1), "\(name)")
        }
        #expect(abs(values["offset"] ?? 99) <= 16)
        #expect(abs(values["frequency"] ?? 9999) <= 500)
    }
}
