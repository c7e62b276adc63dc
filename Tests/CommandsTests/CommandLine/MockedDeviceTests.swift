import Foundation
import TestSupport
import Testing

/// The built program with devices that `umockdev` simulates: it finds and reads them where the
/// kernel would create them.
@Suite(.blocking)
struct MockedDeviceTests {
    /// An accelerometer and a sensor of light and proximity, as drivers of the kernel describe
    /// them.
    private static let devices = #"""
        P: /devices/pci0000:00/0000:00:15.0/i2c-1/1-0018/iio:device0
        E: DEVTYPE=iio_device
        E: SUBSYSTEM=iio
        A: name=lis3dh_accel\n
        A: in_accel_x_raw=-16\n
        A: in_accel_y_raw=240\n
        A: in_accel_z_raw=1012\n
        A: in_accel_offset=-12\n
        A: in_accel_scale=0.009806\n
        A: in_accel_x_scale=0.019613\n

        P: /devices/pci0000:00/0000:00:15.0/i2c-1/1-0039/iio:device1
        E: DEVTYPE=iio_device
        E: SUBSYSTEM=iio
        A: name=apds9960\n
        A: in_proximity_raw=173\n
        A: in_illuminance_raw=820\n
        A: in_illuminance_offset=20\n
        A: in_illuminance_scale=0.25\n

        P: /devices/pnp0/battery/power_supply/BAT0
        E: SUBSYSTEM=power_supply
        A: type=Battery\n
        A: present=1\n
        A: status=Charging\n
        A: energy_now=30000000\n
        A: energy_full=40000000\n

        """#

    private struct Samples: Decodable {
        struct Sample: Decodable {
            let x, y, z, proximity, illuminance, level: Double?
            let state: String?
        }
        let items: [Sample]
    }

    private func newest(_ sensor: String, _ sandbox: Sandbox) throws -> Samples.Sample {
        let file = sandbox.path("devices.umockdev")
        try Data(Self.devices.utf8).write(to: URL(filePath: file))
        let call = try Invocation(
            "/usr/bin/umockdev-run",
            ["--device", file, "--", Binary.nervous, "query", sensor, "--json", "--limit", "1"],
            environment: sandbox.environment)
        #expect(call.code == 0, "\(call.errors)")
        let samples = try JSONDecoder().decode(Samples.self, from: Data(call.output.utf8))
        return try #require(samples.items.first)
    }

    private func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) < 1e-9 } ?? false
    }

    @Test func `an accelerometer is read with its offset and the scale of each axis`() throws {
        let read = try newest("accelerometer", try Sandbox())
        #expect(isNear(read.x, (-16 - 12) * 0.019613), "\(read)")
        #expect(isNear(read.y, (240 - 12) * 0.009806), "\(read)")
        #expect(isNear(read.z, (1012 - 12) * 0.009806), "\(read)")
    }

    @Test func `proximity is in the units of the device, light in lux`() throws {
        let sandbox = try Sandbox()
        #expect(isNear(try newest("proximity", sandbox).proximity, 173))
        #expect(isNear(try newest("light", sandbox).illuminance, (820 + 20) * 0.25))
    }

    @Test func `a battery has its level and the name of its state`() throws {
        let read = try newest("battery", try Sandbox())
        #expect(isNear(read.level, 75))
        #expect(read.state == "charging")
    }
}
