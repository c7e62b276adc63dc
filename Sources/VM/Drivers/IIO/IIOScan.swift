import Glibc
import Samples

/// What a device of the Industrial I/O subsystem has to take samples by itself.
///
/// Source: Documentation/iio/iio_devbuf.rst, Documentation/ABI/testing/sysfs-bus-iio.
struct IIOScan: Sendable {
    /// The folder of the device.
    let device: SystemFolder
    /// Where its samples come out.
    let node: String
    /// All devices and triggers.
    let bus: SystemFolder
    let kind: IIOKind
    let channels: [IIOChannel]
    let matrix: MountMatrix?

    private static let timestamp = "in_timestamp"

    /// One element of a scan: the channel, where it has one of ours, and how it is written.
    struct Element: Sendable {
        let channel: IIOChannel?
        let index: Int64
        let format: ScanFormat
    }

    var elements: SystemFolder { device.folder("scan_elements") }
    var buffer: SystemFolder { device.folder("buffer") }

    /// Whether each channel of the kind has a place in the scans; counts are read as they are.
    var isOffered: Bool {
        if case .count = kind.form { return false }
        return buffer.file("enable").exists
            && channels.allSatisfy { elements.file("\($0.name)_en").exists }
    }

    /// Numbers in our units as the values of the fields, turned as the device is built in.
    func values(_ numbers: [Double]) throws(SensorError) -> [Value] {
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

    /// The elements that are wanted, those of our channels and the time, in their order.
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

    /// Turns on what is wanted and nothing else, chooses trigger, rate and size, and lets it begin.
    ///
    /// - Parameter interval: how far apart the samples are wanted.
    func begin(
        every interval: Duration, _ changes: inout AttributeChanges
    ) throws(SensorError) {
        // The device is open here and nowhere else: who turned this on is there no longer.
        let enable = buffer.file("enable")
        if try enable.line() != "0" { try enable.write("0") }
        let wanted = Set(channels.map(\.name) + [Self.timestamp])
        for name in elements.names where name.hasSuffix("_en") {
            let isWanted = wanted.contains(String(name.dropLast(3)))
            try changes.set(elements.file(name), to: isWanted ? "1" : "0")
        }
        try chooseTrigger(&changes)
        let rate = try chooseRate(every: interval, &changes)
        // About ten blocks a second, and room for some that come late.
        let block = max(1, min(128, Int(rate / 10)))
        let length = buffer.file("length")
        if length.exists, try length.number() < Double(block * 4) {
            try changes.set(length, to: "\(block * 4)")
        }
        let watermark = buffer.file("watermark")
        if watermark.exists { try changes.set(watermark, to: "\(block)") }
        try changes.set(enable, to: "1")
    }

    /// Where a device waits for a trigger and has none, its own takes the place.
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

    /// The slowest rate that the device offers and that is fast enough, else the fastest; samples a
    /// second.
    private func chooseRate(
        every interval: Duration, _ changes: inout AttributeChanges
    ) throws(SensorError) -> Double {
        let wished = 1 / max(1e-4, interval / .seconds(1))
        let name = ["\(kind.channel)_sampling_frequency", "sampling_frequency"]
            .first { device.file($0).exists }
        guard let name else { return wished }
        let rates = (device.line("\(name)_available") ?? "").split(separator: " ")
            .compactMap { text in Double(text).map { (text: String(text), rate: $0) } }
            .filter { $0.rate.isFinite && $0.rate > 0 }.sorted { $0.rate < $1.rate }
        // Rates in brackets are a range, and what stands there is left.
        guard let best = rates.first(where: { $0.rate >= wished * 0.999 }) ?? rates.last else {
            return try device.file(name).number()
        }
        if try device.file(name).number() != best.rate {
            try changes.set(device.file(name), to: best.text)
        }
        return best.rate
    }
}
