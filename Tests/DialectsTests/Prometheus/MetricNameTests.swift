import Samples
import Testing

@testable import Dialects

struct MetricNameTests {
    @Test(arguments: [
        ("temperature", Field("temperature", unit: "Cel"), "sensor_temperature_celsius"),
        ("network", Field("rxRate", unit: "By/s"), "sensor_network_rx_rate_bytes_per_second"),
        ("cpu", Field("busy", unit: "%"), "sensor_cpu_busy_percent"),
        ("filesystem", Field("usedPercent", unit: "%"), "sensor_filesystem_used_percent"),
        ("load", Field("load15", unit: "1"), "sensor_load_load15"),
        (
            "disk", Field("readBytes", unit: "By", kind: .integer),
            "sensor_disk_read_bytes_total"
        ),
        ("steps", Field("steps", unit: "{step}", kind: .integer), "sensor_steps_total"),
        (
            "processes", Field("total", unit: "{process}", kind: .integer),
            "sensor_processes_total_value"
        ),
        (
            "accelerometer", Field("x", unit: "m/s2"),
            "sensor_accelerometer_x_meters_per_second_squared"
        ),
        (
            "air-quality", Field("dust", unit: "ug/m3"),
            "sensor_air_quality_dust_micrograms_per_cubic_meter"
        ),
        ("disk", Field("readOperations", unit: "/s"), "sensor_disk_read_operations_per_second"),
        ("dose", Field("rate", unit: "uSv/h"), "sensor_dose_rate_microsieverts_per_hour"),
        ("odd", Field("one", unit: "[foo_i'U]"), "sensor_odd_one_foo_i_u"),
        ("odd", Field("two", unit: "//{x}"), "sensor_odd_two_per_unit_per_unit"),
    ])
    func `the name has the kind, the field and the unit`(
        kind: SensorID, field: Field, expected: String
    ) {
        let name = MetricName(of: field, kind)
        #expect(name.sample == expected)
        #expect(name.sample.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil)
        if let unit = name.unit { #expect(name.family.hasSuffix("_" + unit)) }
    }

    @Test func `statistics have names of their own`() {
        let field = Field("temperature", unit: "Cel")
        #expect(
            MetricName.distribution(of: field, "temperature").family
                == "sensor_temperature_distribution_celsius")
        #expect(
            MetricName.statistic("samples", of: field, "temperature", hasUnit: false).family
                == "sensor_temperature_samples")
    }
}
