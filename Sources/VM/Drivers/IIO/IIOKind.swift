import Samples

/// One kind of sensor of the Industrial I/O subsystem.
///
/// Units are those of Documentation/ABI/testing/sysfs-bus-iio, converted by `factor`.
struct IIOKind: Sendable {
    /// How the numbers of a channel become values.
    enum Form: Sendable {
        /// `_input`, or (`_raw` + `_offset`) × `_scale`.
        case scaled
        /// `_raw` as it stands, where the kernel promises no unit.
        case raw
        /// `_input`, a whole number.
        case count
    }

    let id: SensorID
    /// What such a device is called.
    let title: String
    /// The start of the attribute names, such as `in_accel`.
    let channel: String
    let fields: [Field]
    /// How many of our units make one of the kernel's.
    var factor = 1.0
    var form = Form.scaled
    var cadence = Cadence.standard
    /// A driver for such sensors in laptops and tablets.
    let module: String

    /// Whether it measures a vector, one field for each axis.
    var hasAxes: Bool { fields.count == 3 }

    static let all = [
        IIOKind(
            id: "accelerometer", title: "Accelerometer", channel: "in_accel",
            fields: vector("m/s2"), cadence: .fast, module: "hid-sensor-accel-3d"),
        IIOKind(
            id: "gyroscope", title: "Gyroscope", channel: "in_anglvel",
            fields: vector("rad/s"), cadence: .fast, module: "hid-sensor-gyro-3d"),
        // From gauss.
        IIOKind(
            id: "magnetometer", title: "Magnetometer", channel: "in_magn",
            fields: vector("uT"), factor: 100, cadence: .fast, module: "hid-sensor-magn-3d"),
        IIOKind(
            id: "light", title: "Ambient light sensor", channel: "in_illuminance",
            fields: [Field("illuminance", unit: "lx")], module: "hid-sensor-als"),
        // From kilopascal.
        IIOKind(
            id: "barometer", title: "Barometer", channel: "in_pressure",
            fields: [Field("pressure", unit: "hPa")], factor: 10, module: "hid-sensor-press"),
        // From thousandths of a degree.
        IIOKind(
            id: "temperature", title: "Thermometer", channel: "in_temp",
            fields: [Field("temperature", unit: "Cel")], factor: 0.001,
            module: "hid-sensor-temperature"),
        // From thousandths of a percent.
        IIOKind(
            id: "humidity", title: "Hygrometer", channel: "in_humidityrelative",
            fields: [Field("humidity", unit: "%")], factor: 0.001, module: "hid-sensor-humidity"),
        IIOKind(
            id: "proximity", title: "Proximity sensor", channel: "in_proximity",
            fields: [Field("proximity", unit: "1")], form: .raw, module: "hid-sensor-prox"),
        IIOKind(
            id: "steps", title: "Step counter", channel: "in_steps",
            fields: [Field("steps", unit: "{step}", kind: .integer)], form: .count,
            module: "bma400-i2c"),
    ]

    private static func vector(_ unit: String) -> [Field] {
        ["x", "y", "z"].map { Field($0, unit: unit) }
    }
}
