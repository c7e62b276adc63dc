import Samples
import Scheduling

/// Motion and environment sensors of the Industrial I/O subsystem.
///
/// A device that is the only one of its kind has the kind's identifier. Otherwise each device is an
/// instance, named by its label, its location in the case or its chip. Source:
/// `/sys/bus/iio/devices/iio:device*`, Documentation/ABI/testing/sysfs-bus-iio.
struct IIODriver: SensorDriver {
    private let folder: SystemFolder
    private let nodes: String

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/bus/iio/devices")
        nodes = roots.dev
    }

    func discover() -> [DiscoveredSensor] {
        let devices = folder.names.filter { $0.hasPrefix("iio:device") }.map(folder.folder)
        return IIOKind.all.flatMap { kind in
            let found = devices.map { ($0, IIOChannel.all(of: kind, in: $0)) }
                .filter { !$0.1.isEmpty }
            guard !found.isEmpty else { return [missing(kind)] }
            var identifiers = InstanceNames(of: kind.id)
            return found.map { device, channels in
                let id = found.count == 1 ? kind.id : identifiers.claim(name(of: device))
                return sensor(kind, id: id, device: device, channels: channels)
            }
        }
    }

    private func sensor(
        _ kind: IIOKind, id: SensorID, device: SystemFolder, channels: [IIOChannel]
    ) -> DiscoveredSensor {
        let sensor = Sensor(
            id: id, title: "\(kind.title) \(name(of: device).printable)",
            fields: channels.map(\.field), source: device.path, cadence: kind.cadence)
        do throws(SensorError) {
            let matrix =
                channels.count == 3 ? try MountMatrix.of(kind.channel, in: device) : nil
            let deviceName = device.path.split(separator: "/").last ?? ""
            let scan = IIOScan(
                device: device, node: "\(nodes)/\(deviceName)", bus: folder, kind: kind,
                channels: channels, matrix: matrix)
            // A buffer has one reader: a device that measures several kinds is polled.
            let measuresOneKind =
                IIOKind.all.count { !IIOChannel.all(of: $0, in: device).isEmpty } == 1
            let reader = Reader(scan: scan, canCapture: measuresOneKind && scan.canCapture)
            return DiscoveredSensor(sensor, .polled(reader))
        } catch {
            return DiscoveredSensor(sensor, .unavailable(reason: error.message, remedy: nil))
        }
    }

    private func name(of device: SystemFolder) -> String {
        device.line("label") ?? device.line("location") ?? device.line("name") ?? "device"
    }

    private func missing(_ kind: IIOKind) -> DiscoveredSensor {
        let sensor = Sensor(
            id: kind.id, title: kind.title, fields: kind.fields, source: folder.path,
            cadence: kind.cadence)
        let reason = "no IIO \(kind.title.lowercased()) under \(folder.path)"
        let remedy = "plug one in, or load its driver, such as modprobe \(kind.module)"
        return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: remedy))
    }

    private struct Reader: BufferedReader {
        let scan: IIOScan
        /// Whether the device can capture samples in a buffer.
        let canCapture: Bool

        mutating func read() throws(SensorError) -> [Value]? {
            if case .count = scan.kind.form {
                var counts: [Value] = []
                for channel in scan.channels {
                    counts.append(.integer(try channel.reading.integer()))
                }
                return counts
            }
            var numbers: [Double] = []
            for channel in scan.channels {
                numbers.append(try channel.number() * scan.kind.factor)
            }
            return try scan.values(numbers)
        }

        func capture(
            every interval: Duration, time: any TimeSource
        ) throws(SensorError) -> (any SampleCapture)? {
            guard canCapture else { return nil }
            return try IIOCapture(scan, every: interval, time: time)
        }
    }
}

/// One kind of sensor of the Industrial I/O subsystem.
///
/// Units are those of Documentation/ABI/testing/sysfs-bus-iio, converted by `factor`.
struct IIOKind: Sendable {
    /// How the numbers of a channel become values.
    enum Form: Sendable {
        /// `_input`, or (`_raw` + `_offset`) × `_scale`.
        case scaled
        /// `_raw`, unscaled, where the kernel defines no unit.
        case raw
        /// `_input`, a whole number.
        case count
    }

    let id: SensorID
    /// The name of a device of this kind.
    let title: String
    /// The start of the attribute names, such as `in_accel`.
    let channel: String
    let fields: [Field]
    /// The number of units of the fields in one unit of the kernel.
    var factor = 1.0
    var form = Form.scaled
    var cadence = Cadence.standard
    /// A kernel module that drives sensors of this kind in laptops and tablets.
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
