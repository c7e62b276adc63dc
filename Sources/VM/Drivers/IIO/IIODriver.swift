import Samples

/// Motion and environment sensors of the Industrial I/O subsystem.
///
/// The only device of a kind has the kind's identifier; of several, each is an instance named by
/// its label, its place in the case or its chip. Source: `/sys/bus/iio/devices/iio:device*`,
/// Documentation/ABI/testing/sysfs-bus-iio.
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
            let number = device.path.split(separator: "/").last ?? ""
            let scan = IIOScan(
                device: device, node: "\(nodes)/\(number)", bus: folder, kind: kind,
                channels: channels, matrix: matrix)
            // One buffer has one reader: where a device measures more, it is asked.
            let isAlone = IIOKind.all.count { !IIOChannel.all(of: $0, in: device).isEmpty } == 1
            let reader = Reader(scan: scan, isOffered: isAlone && scan.isOffered)
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
        /// Whether the device takes samples by itself.
        let isOffered: Bool

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
            every interval: Duration, now: @escaping @Sendable () -> Timestamp
        ) throws(SensorError) -> (any SampleCapture)? {
            guard isOffered else { return nil }
            return try IIOCapture(scan, every: interval, now: now)
        }
    }
}
