import Glibc
import Samples
import Scheduling

/// Samples from the buffer of an Industrial I/O device.
final class IIOCapture: SampleCapture {
    /// How long a read waits for a block.
    private static let timeout = Duration.milliseconds(100)
    /// The maximum number of scans that are read at once.
    private static let block = 512
    /// Timestamps that are farther from the present than this are ignored: some drivers leave them
    /// empty.
    private static let plausibleDistance = Duration.seconds(60)

    private let scan: IIOScan
    private let elements: [IIOScan.Element]
    private let layout: ScanLayout
    private let interval: Duration
    private let time: any TimeSource
    private var node: DeviceNode?
    private var changes = AttributeChanges()
    /// The beginning of a scan that was read in part.
    private var rest: [UInt8] = []
    private var last = Timestamp.distantPast

    /// - Throws: `SensorError` when the device cannot be used; its settings are then unchanged.
    init(
        _ scan: IIOScan, every interval: Duration, time: any TimeSource
    ) throws(SensorError) {
        self.scan = scan
        self.interval = interval
        self.time = time
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
        bytes += try node.read(atMost: layout.size * Self.block, waiting: Self.timeout)
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
        // The scale changes when another program sets the range of the chip.
        var scales: [IIOChannel.Scale] = []
        for channel in scan.channels { scales.append(try channel.scaleOfRaw()) }
        let times = try times(of: bytes, count)
        var samples: [Sample] = []
        for (row, time) in times.enumerated() {
            // Devices do not keep exact intervals, so a sample may come a quarter of the interval
            // too soon.
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
        guard let index = elements.firstIndex(where: { $0.channel?.name == channel.name }) else {
            return .nan
        }
        return elements[index].format.number(in: part(index, of: bytes, row))
    }

    private func part(
        _ index: Int, of bytes: ArraySlice<UInt8>, _ row: Int
    ) -> ArraySlice<UInt8> {
        bytes[(bytes.startIndex + row * layout.size + layout.offsets[index])...]
    }

    /// The time of each scan of a block: from the device, else counted back from now.
    private func times(of bytes: ArraySlice<UInt8>, _ count: Int) throws(SensorError) -> [Timestamp]
    {
        let present = time.now()
        let step = interval.wholeMicroseconds
        func estimate(_ row: Int) -> Timestamp {
            present.advanced(byMicroseconds: -Int64(count - 1 - row) * step)
        }
        guard let index = elements.firstIndex(where: { $0.channel == nil }) else {
            return (0..<count).map(estimate)
        }
        let ahead = DeviceClock(scan.device.line("current_timestamp_clock")).ahead(of: present)
        return (0..<count).map { row in
            let nanoseconds = elements[index].format.integer(in: part(index, of: bytes, row))
            let time = Timestamp(microseconds: nanoseconds / 1000).advanced(byMicroseconds: -ahead)
            let distance = time.microseconds.subtractingReportingOverflow(present.microseconds)
            let isPlausible =
                !distance.overflow
                && distance.partialValue.magnitude
                    <= UInt64(Self.plausibleDistance.wholeMicroseconds)
            return isPlausible ? time : estimate(row)
        }
    }

    /// Adds a remedy to the error when permission is missing.
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

/// An open file of `/dev` that returns bytes when the device has some.
private final class DeviceNode {
    private let file: SystemFile
    private let descriptor: Int32

    /// - Throws: `gone` when the device does not exist, `unreadable` when it may not be opened or
    ///   is in use.
    init(_ path: String) throws(SensorError) {
        file = SystemFile(path)
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw file.failure(errno) }
    }

    deinit { close(descriptor) }

    /// Reads at most `limit` bytes; waits for the first byte for at most `time`.
    ///
    /// - Throws: `gone` at the end of the file.
    func read(atMost limit: Int, waiting time: Duration) throws(SensorError) -> [UInt8] {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let wait = Int32(clamping: Int(time / .milliseconds(1)))
        guard poll(&event, 1, wait) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes {
            Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        guard count != 0 else { throw SensorError(.gone, "\(file.path) stopped sending") }
        guard count > 0 else {
            if errno == EAGAIN || errno == EINTR { return [] }
            throw file.failure(errno)
        }
        bytes.removeLast(limit - count)
        return bytes
    }
}

/// The clock of a device's timestamps.
///
/// Source: `current_timestamp_clock` in Documentation/ABI/testing/sysfs-bus-iio.
private struct DeviceClock: Hashable, Sendable {
    private let clock: clockid_t?

    /// - Parameter name: its name in sysfs; `nil` for the realtime clock.
    init(_ name: String?) {
        clock =
            switch name {
            case "monotonic": CLOCK_MONOTONIC
            case "monotonic_raw": CLOCK_MONOTONIC_RAW
            case "monotonic_coarse": CLOCK_MONOTONIC_COARSE
            case "boottime": CLOCK_BOOTTIME
            case "tai": CLOCK_TAI
            default: nil
            }
    }

    /// Microseconds by which this clock is ahead of the realtime clock, which reads `now`.
    func ahead(of now: Timestamp) -> Int64 {
        guard let clock else { return 0 }
        // An array of seconds and nanoseconds stands for a timespec, whose members the compiler
        // does not find here with optimisation.
        var time = [0, 0]
        time.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            clock_gettime(clock, start.assumingMemoryBound(to: timespec.self))
        }
        return Int64(time[0]) * 1_000_000 + Int64(time[1]) / 1000 - now.microseconds
    }
}
