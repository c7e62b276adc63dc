import Samples
import Testing

@testable import Dialects

struct ExpositionTests {
    private static let families = [
        MetricFamily(
            "sensor_disk_read_bytes", .counter, unit: "bytes", help: "Bytes \\ \"read\"\n.",
            points: [
                .init(
                    .integer(.max), labels: [("sensor", "a\"b\\c\nd"), ("field", "é")],
                    time: Timestamp(microseconds: 1_700_000_000_123_456))
            ]),
        MetricFamily(
            "sensor", .info, help: "A sensor.",
            points: [.init(.integer(1), labels: [("sensor", "x")])]),
        MetricFamily(
            "sensor_x", .gauge, help: "X.",
            points: [.init(.number(.nan)), .init(.number(-.infinity)), .init(.number(1e21))]),
    ]

    private static func text(_ format: ExpositionFormat) -> String {
        var writer = ExpositionWriter(format)
        for family in families { writer.write(family) }
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test func `OpenMetrics has types, units, escapes and an end`() {
        #expect(
            Self.text(.openMetrics) == #"""
                # HELP sensor_disk_read_bytes Bytes \\ \"read\"\n.
                # TYPE sensor_disk_read_bytes counter
                # UNIT sensor_disk_read_bytes bytes
                sensor_disk_read_bytes_total{sensor="a\"b\\c\nd",field="é"} 9223372036854775807 1700000000.123456
                # HELP sensor A sensor.
                # TYPE sensor info
                sensor_info{sensor="x"} 1
                # HELP sensor_x X.
                # TYPE sensor_x gauge
                sensor_x NaN
                sensor_x -Inf
                sensor_x 1e+21
                # EOF

                """#)
    }

    @Test func `the text format has the names of samples, and milliseconds`() {
        #expect(
            Self.text(.text) == #"""
                # HELP sensor_disk_read_bytes_total Bytes \\ "read"\n.
                # TYPE sensor_disk_read_bytes_total counter
                sensor_disk_read_bytes_total{sensor="a\"b\\c\nd",field="é"} 9223372036854775807 1700000000123
                # HELP sensor_info A sensor.
                # TYPE sensor_info gauge
                sensor_info{sensor="x"} 1
                # HELP sensor_x X.
                # TYPE sensor_x gauge
                sensor_x NaN
                sensor_x -Inf
                sensor_x 1e+21

                """#)
    }

    @Test(arguments: [
        (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (1_500_000, "1.5"), (-1_500_000, "-1.5"),
        (1_700_000_000_000_000, "1700000000"),
    ])
    func `seconds are exact`(microseconds: Int64, expected: String) {
        #expect(PrometheusNumber.seconds(Timestamp(microseconds: microseconds)) == expected)
    }
}
