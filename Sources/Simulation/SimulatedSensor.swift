import Samples
import VM

/// The sensors of a made-up machine, with the fields and units of the real ones.
enum SimulatedSensor {
    static let all: [Sensor] = [
        sensor("accelerometer", "Accelerometer", axes("m/s2"), .fast),
        sensor(
            "barometer", "Barometer", [Field("pressure", unit: "hPa")]),
        sensor(
            "battery", "Battery",
            [
                Field("level", unit: "%"), Field("state", kind: .state),
                Field("voltage", unit: "V"), Field("power", unit: "W"),
            ], .slow),
        sensor("cpu", "Processor load", ["busy", "core0", "core1"].map { Field($0, unit: "%") }),
        sensor("gyroscope", "Gyroscope", axes("rad/s"), .fast),
        sensor("humidity", "Hygrometer", [Field("humidity", unit: "%")]),
        sensor("light", "Ambient light sensor", [Field("illuminance", unit: "lx")]),
        sensor(
            "load", "System load",
            [
                Field("load1", unit: "1"), Field("load5", unit: "1"), Field("load15", unit: "1"),
                Field("runnable", unit: "{process}", kind: .integer),
                Field("total", unit: "{process}", kind: .integer),
            ]),
        sensor(
            "location", "Location",
            [
                Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
                Field("altitude", unit: "m"), Field("accuracy", unit: "m"),
                Field("speed", unit: "m/s"), Field("heading", unit: "deg"),
            ]),
        sensor("magnetometer", "Magnetometer", axes("uT"), .fast),
        sensor(
            "memory", "Memory",
            [
                "total", "available", "free", "buffers", "cached", "swapTotal", "swapFree", "used",
            ].map { Field($0, unit: "By", kind: .integer) } + [Field("usedPercent", unit: "%")]),
        sensor("noise", "Sound level", [Field("level", unit: "dB")]),
        sensor(
            "steps", "Step counter", [Field("steps", unit: "{step}", kind: .integer)]),
        sensor("temperature", "Thermometer", [Field("temperature", unit: "Cel")]),
    ]

    private static func sensor(
        _ id: SensorID, _ title: String, _ fields: [Field], _ cadence: Cadence = .standard
    ) -> Sensor {
        Sensor(id: id, title: title, fields: fields, source: "simulation", cadence: cadence)
    }

    private static func axes(_ unit: String) -> [Field] {
        ["x", "y", "z"].map { Field($0, unit: unit) }
    }
}
