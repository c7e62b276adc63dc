import Samples
import Testing

@testable import VM

struct IIODriverTests {
    private static let accelerometer = [
        "name": "accel_3d\n", "in_accel_x_raw": "100\n", "in_accel_y_raw": "-200\n",
        "in_accel_z_raw": "1000\n", "in_accel_scale": "0.5\n",
    ]

    /// A tree with one folder of attributes for each device.
    private func tree(_ devices: [String: String]...) throws -> FixtureTree {
        let tree = try FixtureTree()
        for (number, files) in devices.enumerated() {
            for (name, text) in files {
                try tree.write(text, to: "sys/bus/iio/devices/iio:device\(number)/\(name)")
            }
        }
        return tree
    }

    @Test func `acceleration is raw plus offset times scale`() throws {
        let offset = ["in_accel_offset": "10"]
        let tree = try tree(Self.accelerometer.merging(offset) { first, _ in first })
        let discovery = Discovery(IIODriver(roots: tree.roots))
        let values = try discovery.values("accelerometer")
        #expect(values == ["x": .number(55), "y": .number(-95), "z": .number(505)])
        #expect(try discovery.sensor("accelerometer").cadence == .fast)
    }

    @Test func `an axis may have its own scale and offset`() throws {
        let own = ["in_accel_x_scale": "2", "in_accel_y_offset": "100"]
        let tree = try tree(Self.accelerometer.merging(own) { first, _ in first })
        let values = try Discovery(IIODriver(roots: tree.roots)).values("accelerometer")
        #expect(values == ["x": .number(200), "y": .number(-50), "z": .number(500)])
    }

    @Test func `the mount matrix turns the axes`() throws {
        let matrix = ["in_mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1\n"]
        let tree = try tree(Self.accelerometer.merging(matrix) { first, _ in first })
        let values = try Discovery(IIODriver(roots: tree.roots)).values("accelerometer")
        #expect(values == ["x": .number(-100), "y": .number(-50), "z": .number(500)])
    }

    @Test(arguments: [
        "", "1, 0, 0", "1, 0; 0, 1; 0, 0", "a, b, c; 0, 1, 0; 0, 0, 1",
        "nan, 0, 0; 0, 1, 0; 0, 0, 1", "1, 0, 0; 0, 1, 0; 0, 0, 1;",
    ])
    func `an invalid mount matrix makes the sensor unavailable`(text: String) throws {
        let matrix = ["mount_matrix": text]
        let tree = try tree(Self.accelerometer.merging(matrix) { first, _ in first })
        let missing = try Discovery(IIODriver(roots: tree.roots)).missing("accelerometer")
        #expect(missing.reason.contains("is not a matrix"))
    }

    @Test(arguments: [
        ("gyroscope", "x", ["in_anglvel_x_raw": "1000", "in_anglvel_scale": "0.001"], 1.0),
        ("magnetometer", "y", ["in_magn_y_raw": "450", "in_magn_scale": "0.001"], 45),
        ("light", "illuminance", ["in_illuminance_input": "321.5"], 321.5),
        (
            "light", "illuminance",
            [
                "in_illuminance_raw": "10", "in_illuminance_scale": "2",
                "in_illuminance_offset": "1",
            ], 22
        ),
        ("light", "illuminance", ["in_illuminance0_input": "7"], 7),
        ("barometer", "pressure", ["in_pressure_input": "101.325"], 1013.25),
        ("temperature", "temperature", ["in_temp_input": "23500"], 23.5),
        (
            "temperature", "temperature",
            ["in_temp_ambient_raw": "14700", "in_temp_scale": "2"], 29.4
        ),
        (
            "humidity", "humidity",
            ["in_humidityrelative_raw": "50", "in_humidityrelative_scale": "1000"], 50
        ),
        ("proximity", "proximity", ["in_proximity_raw": "12", "in_proximity_scale": "9"], 12),
    ])
    func `kernel units are converted`(
        id: String, field: String, files: [String: String], expected: Double
    ) throws {
        let tree = try tree(files)
        let values = try Discovery(IIODriver(roots: tree.roots)).values(id)
        #expect(values.count == 1)
        let value = try #require(values[field]?.double)
        #expect(abs(value - expected) < 1e-9)
    }

    @Test func `a processed reading is preferred to a raw one`() throws {
        let tree = try tree([
            "in_temp_input": "21000", "in_temp_raw": "5", "in_temp_scale": "1",
        ])
        let values = try Discovery(IIODriver(roots: tree.roots)).values("temperature")
        #expect(values == ["temperature": .number(21)])
    }

    @Test func `steps are integers`() throws {
        let tree = try tree(["in_steps_input": "9007199254740993"])
        let values = try Discovery(IIODriver(roots: tree.roots)).values("steps")
        #expect(values == ["steps": .integer(9_007_199_254_740_993)])
    }

    @Test func `several devices of a kind are named by label, location or chip`() throws {
        let tree = try tree(
            Self.accelerometer.merging(["label": "accel-base"]) { first, _ in first },
            Self.accelerometer.merging(["location": "display"]) { first, _ in first },
            Self.accelerometer, Self.accelerometer)
        let ids = Discovery(IIODriver(roots: tree.roots)).ids.filter { $0.hasPrefix("accel") }
        #expect(
            ids == [
                "accelerometer.accel-base", "accelerometer.display", "accelerometer.accel-3d",
                "accelerometer.accel-3d-2",
            ])
    }

    @Test func `every missing kind is listed with its driver`() throws {
        let discovery = Discovery(IIODriver(roots: try tree().roots))
        #expect(
            discovery.ids == [
                "accelerometer", "gyroscope", "magnetometer", "light", "barometer", "temperature",
                "humidity", "proximity", "steps",
            ])
        let reason = try discovery.missing("light").reason
        #expect(reason.hasPrefix("no IIO ambient light sensor under"))
        for id in discovery.ids {
            let missing = try discovery.missing(id)
            #expect(missing.reason.hasPrefix("no IIO "))
            #expect(missing.remedy?.contains("modprobe") == true)
        }
    }

    @Test(arguments: [
        ("in_accel_x_raw", ""), ("in_accel_y_raw", "fast"), ("in_accel_z_raw", "nan"),
        ("in_accel_scale", "inf"), ("in_accel_scale", "1e308"), ("in_accel_scale", ""),
    ])
    func `a reading that is not a finite number is malformed`(name: String, text: String) throws {
        let tree = try tree(Self.accelerometer)
        let reader = try Discovery(IIODriver(roots: tree.roots)).reader("accelerometer")
        try tree.write(text, to: "sys/bus/iio/devices/iio:device0/\(name)")
        #expect(failure(of: reader) == .malformed)
    }

    @Test func `an unplugged device is gone, a busy one is unreadable`() throws {
        let tree = try tree(Self.accelerometer)
        let reader = try Discovery(IIODriver(roots: tree.roots)).reader("accelerometer")
        try tree.makeUnreadable("sys/bus/iio/devices/iio:device0/in_accel_y_raw")
        #expect(failure(of: reader) == .unreadable)
        try tree.remove("sys/bus/iio/devices/iio:device0")
        #expect(failure(of: reader) == .gone)
    }
}
