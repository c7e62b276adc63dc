import Glibc
import Samples

/// The buffer of an Industrial I/O device, in which it captures samples.
///
/// Source: Documentation/iio/iio_devbuf.rst, Documentation/ABI/testing/sysfs-bus-iio.
struct IIOScan: Sendable {
    /// The folder of the device.
    let device: SystemFolder
    /// The device node that samples are read from.
    let node: String
    /// All devices and triggers.
    let bus: SystemFolder
    let kind: IIOKind
    let channels: [IIOChannel]
    let matrix: MountMatrix?

    private static let timestamp = "in_timestamp"

    /// One element of a scan: its channel, `nil` for the timestamp, and its binary format.
    struct Element: Sendable {
        let channel: IIOChannel?
        let index: Int64
        let format: ScanFormat
    }

    var elements: SystemFolder { device.folder("scan_elements") }
    var buffer: SystemFolder { device.folder("buffer") }

    /// Whether the buffer has each channel of the kind; counts are not captured.
    var canCapture: Bool {
        if case .count = kind.form { return false }
        return buffer.file("enable").exists
            && channels.allSatisfy { elements.file("\($0.name)_en").exists }
    }

    /// The values of the fields, from numbers in the units of the fields, rotated by the mount
    /// matrix.
    func values(_ numbers: [Double]) throws(SensorError) -> [Value] {
        var values: [Value] = []
        for (number, channel) in zip(matrix?.rotated(numbers) ?? numbers, channels) {
            if kind.id == "temperature" {
                values.append(try channel.reading.temperature(celsius: number))
            } else {
                values.append(try channel.reading.value(number))
            }
        }
        return values
    }

    /// The elements of ``channels`` and the timestamp, in the order of the scan.
    func wanted() throws(SensorError) -> [Element] {
        var found: [Element] = []
        for channel in channels { found.append(try element(channel.name, channel)) }
        if elements.file("\(Self.timestamp)_en").exists {
            found.append(try element(Self.timestamp, nil))
        }
        return found.sorted { $0.index < $1.index }
    }

    private func element(
        _ name: String, _ channel: IIOChannel?
    ) throws(SensorError) -> Element {
        let type = elements.file("\(name)_type")
        guard let format = ScanFormat(try type.line()) else {
            throw type.malformed("is not a format that can be read")
        }
        return Element(
            channel: channel, index: try elements.file("\(name)_index").integer(), format: format)
    }

    /// Enables exactly the wanted elements, sets trigger, rate and size, and starts the buffer.
    ///
    /// - Parameter interval: the wanted interval between samples.
    func begin(
        every interval: Duration, _ changes: inout AttributeChanges
    ) throws(SensorError) {
        // This process has the only open descriptor; if the buffer is enabled, an earlier process left it so.
        let enable = buffer.file("enable")
        if try enable.line() != "0" { try enable.write("0") }
        let wanted = Set(channels.map(\.name) + [Self.timestamp])
        for name in elements.names where name.hasSuffix("_en") {
            let isWanted = wanted.contains(String(name.dropLast(3)))
            try changes.set(elements.file(name), to: isWanted ? "1" : "0")
        }
        try chooseTrigger(&changes)
        let rate = try chooseRate(every: interval, &changes)
        // About ten blocks per second, with room for late ones.
        let block = max(1, min(128, Int(rate / 10)))
        let length = buffer.file("length")
        if length.exists, try length.number() < Double(block * 4) {
            try changes.set(length, to: "\(block * 4)")
        }
        let watermark = buffer.file("watermark")
        if watermark.exists { try changes.set(watermark, to: "\(block)") }
        try changes.set(enable, to: "1")
    }

    /// Sets the device's own trigger where it needs one and none is set.
    private func chooseTrigger(_ changes: inout AttributeChanges) throws(SensorError) {
        let current = device.file("trigger/current_trigger")
        guard current.exists, try current.line().isEmpty else { return }
        let number = device.path.split(separator: "/").last?.drop { !$0.isNumber } ?? ""
        let own = "\(device.line("name") ?? "")-dev\(number)"
        let names = bus.names.filter { $0.hasPrefix("trigger") }
            .compactMap { bus.folder($0).line("name") }
        guard names.contains(own) else {
            throw current.malformed("names no trigger, and the device has none of its own")
        }
        try changes.set(current, to: own)
    }

    /// Sets the slowest rate that is fast enough, else the fastest; returns samples per second.
    private func chooseRate(
        every interval: Duration, _ changes: inout AttributeChanges
    ) throws(SensorError) -> Double {
        let wanted = 1 / max(1e-4, interval / .seconds(1))
        let name = ["\(kind.channel)_sampling_frequency", "sampling_frequency"]
            .first { device.file($0).exists }
        guard let name else { return wanted }
        let rates = (device.line("\(name)_available") ?? "").split(separator: " ")
            .compactMap { text in Double(text).map { (text: String(text), rate: $0) } }
            .filter { $0.rate.isFinite && $0.rate > 0 }.sorted { $0.rate < $1.rate }
        // Rates in brackets are a range: the current rate is kept.
        guard let best = rates.first(where: { $0.rate >= wanted * 0.999 }) ?? rates.last else {
            return try device.file(name).number()
        }
        if try device.file(name).number() != best.rate {
            try changes.set(device.file(name), to: best.text)
        }
        return best.rate
    }
}

/// Attributes of sysfs that were changed, to be restored later.
struct AttributeChanges {
    private var before: [(file: SystemFile, text: String)] = []

    /// Writes an attribute unless it has that value already.
    mutating func set(_ file: SystemFile, to text: String) throws(SensorError) {
        let old = try file.line()
        guard old != text else { return }
        try file.write(text)
        before.append((file, old))
    }

    /// Restores the old values, the last change first; failures are ignored.
    mutating func undo() {
        while let (file, text) = before.popLast() { try? file.write(text) }
    }
}
