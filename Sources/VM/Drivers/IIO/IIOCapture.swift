import Glibc
import Samples

/// Samples from the buffer of an Industrial I/O device.
final class IIOCapture: SampleCapture {
    /// How long a block is waited for.
    private static let patience = Duration.milliseconds(100)
    /// The most scans that are read at once.
    private static let block = 512
    /// A time further off is none: some drivers leave it empty.
    private static let believable = Duration.seconds(60)

    private let scan: IIOScan
    private let elements: [IIOScan.Element]
    private let layout: ScanLayout
    private let interval: Duration
    private let now: @Sendable () -> Timestamp
    private var node: DeviceNode?
    private var changes = AttributeChanges()
    /// The beginning of a scan whose end has not come.
    private var rest: [UInt8] = []
    private var last = Timestamp.distantPast

    /// - Throws: `SensorError` when the device cannot be had; it is as it was before then.
    init(
        _ scan: IIOScan, every interval: Duration, now: @escaping @Sendable () -> Timestamp
    ) throws(SensorError) {
        self.scan = scan
        self.interval = interval
        self.now = now
        elements = try scan.wanted()
        layout = ScanLayout(elements.map(\.format))
        try Self.check(scan.node, R_OK)
        try Self.check(scan.buffer.file("enable").path, W_OK)
        node = try DeviceNode(scan.node)
        do throws(SensorError) {
            try scan.begin(every: interval, &changes)
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    func next() throws(SensorError) -> [Sample] {
        guard let node else { return [] }
        var bytes = rest
        bytes += try node.read(atMost: layout.size * Self.block, waiting: Self.patience)
        let count = bytes.count / layout.size
        let whole = bytes.prefix(count * layout.size)
        rest = Array(bytes[whole.endIndex...])
        return try samples(of: whole, count)
    }

    func end() {
        changes.undo()
        node = nil
    }

    private func samples(
        of bytes: ArraySlice<UInt8>, _ count: Int
    ) throws(SensorError) -> [Sample] {
        // Whoever sets the range of a chip changes the scale.
        var scales: [IIOChannel.Scale] = []
        for channel in scan.channels { scales.append(try channel.scaleOfRaw()) }
        let times = try times(of: bytes, count)
        var samples: [Sample] = []
        for (row, time) in times.enumerated() {
            // A device does not keep time to the microsecond: a quarter too soon is in time.
            let next = last.advanced(byMicroseconds: interval.wholeMicroseconds * 3 / 4)
            if time >= last, time < next { continue }
            last = time
            var numbers: [Double] = []
            for (channel, scale) in zip(scan.channels, scales) {
                let raw = number(of: channel, in: bytes, row)
                numbers.append((raw + scale.offset) * scale.factor * scan.kind.factor)
            }
            samples.append(Sample(time: time, values: try scan.values(numbers)))
        }
        return samples
    }

    private func number(
        of channel: IIOChannel, in bytes: ArraySlice<UInt8>, _ row: Int
    ) -> Double {
        guard let place = elements.firstIndex(where: { $0.channel?.name == channel.name }) else {
            return .nan
        }
        return elements[place].format.number(in: part(place, of: bytes, row))
    }

    private func part(
        _ place: Int, of bytes: ArraySlice<UInt8>, _ row: Int
    ) -> ArraySlice<UInt8> {
        bytes[(bytes.startIndex + row * layout.size + layout.offsets[place])...]
    }

    /// When each scan of a block was made: as the device says, else so that the last is of now.
    private func times(of bytes: ArraySlice<UInt8>, _ count: Int) throws(SensorError) -> [Timestamp]
    {
        let present = now()
        let step = interval.wholeMicroseconds
        func estimate(_ row: Int) -> Timestamp {
            present.advanced(byMicroseconds: -Int64(count - 1 - row) * step)
        }
        guard let place = elements.firstIndex(where: { $0.channel == nil }) else {
            return (0..<count).map(estimate)
        }
        let ahead = DeviceClock(scan.device.line("current_timestamp_clock")).ahead(of: present)
        return (0..<count).map { row in
            let nanoseconds = elements[place].format.integer(in: part(place, of: bytes, row))
            let time = Timestamp(microseconds: nanoseconds / 1000).advanced(byMicroseconds: -ahead)
            let distance = time.microseconds.subtractingReportingOverflow(present.microseconds)
            let isBelievable =
                !distance.overflow
                && distance.partialValue.magnitude
                    <= UInt64(Self.believable.wholeMicroseconds)
            return isBelievable ? time : estimate(row)
        }
    }

    /// Says who could give the device away where it is there and may not be used.
    private static func check(_ path: String, _ mode: Int32) throws(SensorError) {
        guard access(path, mode) != 0 else { return }
        let number = errno
        let failure = SystemFile(path).failure(number)
        guard number == EACCES || number == EPERM || number == EROFS else { throw failure }
        throw SensorError(failure.code, "\(failure.message); \(remedy)")
    }

    private static let remedy = """
        a udev rule gives a group the device: SUBSYSTEM=="iio", GROUP="plugdev", MODE="0640", \
        RUN+="/bin/sh -c 'chgrp -R plugdev /sys%p; chmod -R g+w /sys%p'"
        """
}
