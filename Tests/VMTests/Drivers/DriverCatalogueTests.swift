import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

/// The driver catalogue on the machine that runs the tests.
struct DriverCatalogueTests {
    private let found = DriverCatalogue.standard().flatMap { $0.discover() }

    @Test func `identifiers are unique across all drivers`() {
        let ids = found.map(\.sensor.id)
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map(\.kind)).isSuperset(of: ["cpu", "memory", "disk", "accelerometer"]))
    }

    @Test func `every sensor has a title, fields and a source`() {
        for sensor in found.map(\.sensor) {
            #expect(!sensor.title.isEmpty && !sensor.source.isEmpty && !sensor.fields.isEmpty)
            #expect(Set(sensor.fields.map(\.name)).count == sensor.fields.count)
            for field in sensor.fields {
                #expect((field.unit != nil) == field.kind.isNumeric, "\(sensor.id) \(field.name)")
            }
        }
    }

    @Test func `unavailable sensors give a reason in one clause`() {
        for entry in found {
            guard case .unavailable(let reason, _) = entry.availability else { continue }
            #expect(!reason.isEmpty && !reason.hasSuffix("."), "\(entry.sensor.id)")
        }
    }

    @Test func `every polled sensor gives values that fit its fields once time has passed`() throws
    {
        for entry in found {
            guard case .polled(var reader) = entry.availability else { continue }
            let id = entry.sensor.id
            let first = try reader.read()
            // Processor time advances in ticks of up to 10 ms; these reads take longer.
            var second = try reader.read()
            for _ in 0..<100_000 where second == nil { second = try reader.read() }
            for values in [first, second].compactMap({ $0 }) {
                #expect(values.count == entry.sensor.fields.count, "\(id)")
                for (field, value) in zip(entry.sensor.fields, values) {
                    #expect(value.fits(field.kind), "\(id) \(field.name)")
                }
            }
            #expect(second != nil, "\(id)")
        }
    }

    @Test func `random file contents do not trap`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var noise = Noise(seed: seed)
        for _ in 0..<40 {
            let tree = try FixtureTree(["sys/class/power_supply/BAT0/type": "Battery"])
            for path in Self.paths { try tree.write(noise.contents(), to: path) }
            var readers = DriverCatalogue.standard(roots: tree.roots).flatMap { $0.discover() }
                .compactMap { entry -> (Sensor, any SampleReader)? in
                    guard case .polled(let reader) = entry.availability else { return nil }
                    return (entry.sensor, reader)
                }
            for _ in 0..<3 {
                for path in Self.paths { try tree.write(noise.contents(), to: path) }
                for index in readers.indices {
                    guard let values = try? readers[index].1.read() else { continue }
                    let fields = readers[index].0.fields
                    let fit = zip(fields, values).allSatisfy { $1.fits($0.kind) }
                    #expect(fit && fields.count == values.count, "seed \(seed)")
                }
            }
        }
    }

    private static let paths =
        [
            "proc/stat", "proc/loadavg", "proc/meminfo", "proc/net/dev", "proc/self/mounts",
            "proc/pressure/cpu", "proc/pressure/memory", "sys/block/sda/stat", "sys/block/sda/size",
            "sys/class/thermal/thermal_zone0/type", "sys/class/thermal/thermal_zone0/temp",
            "sys/class/hwmon/hwmon0/name", "sys/class/hwmon/hwmon0/temp1_input",
            "sys/class/hwmon/hwmon0/temp1_label", "sys/class/hwmon/hwmon0/fan1_input",
            "proc/uptime", "proc/net/wireless", "proc/net/snmp", "proc/net/snmp6",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
            "sys/class/drm/card0/gt_act_freq_mhz", "sys/class/drm/card0/device/gpu_busy_percent",
            "sys/class/drm/card0/device/mem_info_vram_used",
            "sys/class/powercap/intel-rapl:0/name", "sys/class/powercap/intel-rapl:0/energy_uj",
            "sys/class/powercap/intel-rapl:0/max_energy_range_uj",
            "sys/class/backlight/acpi/brightness", "sys/class/backlight/acpi/max_brightness",
            "sys/block/md0/md/array_state", "sys/block/md0/md/raid_disks",
            "sys/block/md0/md/degraded", "sys/block/md0/md/sync_action",
        ]
        + ["energy_full", "energy_full_design"].map { "sys/class/power_supply/BAT0/\($0)" }
        + ["capacity", "status", "voltage_now", "current_now", "temp", "cycle_count"].map {
            "sys/class/power_supply/BAT0/\($0)"
        }
        + [
            "in_accel_x_raw", "in_accel_y_raw", "in_accel_z_raw", "in_accel_scale",
            "in_accel_offset", "in_temp_raw", "in_temp_scale", "in_steps_input", "label",
        ].map { "sys/bus/iio/devices/iio:device0/\($0)" }

    /// Random text that resembles kernel output.
    private struct Noise: RandomNumberGenerator {
        private static let words = [
            "cpu", "cpu0", "ctxt", "intr", "softirq", "processes", "Tcp:", "InSegs", "Udp6NoPorts",
            "eth0:", "MemTotal:", "MemAvailable:", "some", "avg10=1", "total=9",
            "0", "1", "-1", "9223372036854775807", "18446744073709551615", "1e308", "nan", "-inf",
            "\\040", "\\", "/", "ext4", "\u{0}", "\u{301}", "\u{202E}", "Battery", "1/2", ";", ",",
        ]
        private var random: SplitMix

        init(seed: UInt64) {
            random = SplitMix(state: seed)
        }

        mutating func next() -> UInt64 { random.next() }

        mutating func contents() -> Data {
            if Int.random(in: 0..<3, using: &self) > 0 {
                return Data("\(Int.random(in: -1000...1000, using: &self))\n".utf8)
            }
            var data = Data()
            for _ in 0..<Int.random(in: 0..<30, using: &self) {
                let word = Self.words.randomElement(using: &self) ?? ""
                data.append(contentsOf: word.utf8)
                data.append(Bool.random(using: &self) ? 0x20 : 0x0A)
                if Int.random(in: 0..<20, using: &self) == 0 { data.append(0xFF) }
            }
            return data
        }
    }
}
