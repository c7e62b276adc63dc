import Samples

/// Motion and environment sensors of the Industrial I/O subsystem.
///
/// The only device of a kind has the kind's identifier; of several, each is an instance named by
/// its label, its place in the case or its chip. Source: `/sys/bus/iio/devices/iio:device*`,
/// Documentation/ABI/testing/sysfs-bus-iio.
struct IIODriver: SensorDriver {
    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/bus/iio/devices")
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
            let reader = Reader(channels: channels, kind: kind, matrix: matrix)
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

    private struct Reader: SampleReader {
        let channels: [IIOChannel]
        let kind: IIOKind
        let matrix: MountMatrix?

        mutating func read() throws(SensorError) -> [Value]? {
            if case .count = kind.form {
                var counts: [Value] = []
                for channel in channels { counts.append(.integer(try channel.reading.integer())) }
                return counts
            }
            var numbers: [Double] = []
            for channel in channels { numbers.append(try channel.number() * kind.factor) }
            var values: [Value] = []
            for (number, channel) in zip(matrix?.turned(numbers) ?? numbers, channels) {
                if kind.id == "temperature" {
                    values.append(try channel.reading.temperature(celsius: number))
                } else {
                    values.append(try channel.reading.value(number))
                }
            }
            return values
        }
    }
}
