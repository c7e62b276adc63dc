/// Reads lines or other messages of a device at a serial port, including USB adapters.
public struct SerialConnector: ConnectorKind {
    public static let kind = "serial"

    /// The first line after opening may be incomplete.
    private static let standardSkip = 1
    private static let maximumSent = 1024

    public let sourceName: String
    /// The device file: `sourceName`, with the folder that is used as `/dev`.
    private let path: String
    private let baud: Int
    private let framing: SerialFraming
    private let sent: [UInt8]
    private let skipped: Int
    /// The maximum silence of the device; `nil` for no limit.
    private let timeout: Duration?

    /// Reads `device`, `baud` (9600), `bits` (8), `parity` (`none`), `stop` (1), `send` (texts written unchanged after opening), `skip` (how
    /// many lines to skip after opening, 1) and `timeout` (the maximum silence).
    public init(_ source: inout PackObject) throws(PackError) {
        let device = try source.requiredText("device")
        guard Self.isDevice(device) else {
            throw source.wrong(
                "device", "is not a device path such as /dev/ttyUSB0 or /dev/serial/by-id/…")
        }
        let baud = try source.integer("baud", in: 1...10_000_000) ?? 9600
        guard BaudRate.speed(of: baud) != nil else {
            let rates = BaudRate.all.map { "\($0)" }.joined(separator: ", ")
            throw source.wrong("baud", "is not one of \(rates)")
        }
        let sent = Array(try source.texts("send")?.joined().utf8 ?? "".utf8)
        guard sent.count <= Self.maximumSent else {
            throw source.wrong("send", "is more than \(Self.maximumSent) bytes")
        }
        let framing = SerialFraming(
            bits: try source.integer("bits", in: 7...8) ?? 8,
            parity: try source.choice("parity", of: SerialFraming.Parity.self) ?? .none,
            stop: try source.integer("stop", in: 1...2) ?? 1)
        self.init(
            device: device, below: source.devices, baud: baud, framing: framing, sent: sent,
            skipped: try source.integer("skip", in: 0...1000) ?? Self.standardSkip,
            timeout: try source.duration("timeout", in: .seconds(1)...(.seconds(366 * 86_400))))
    }

    /// - Parameters:
    ///   - folder: the folder that is used as `/dev`.
    ///   - timeout: the maximum silence of the device.
    init(
        device: String, below folder: String = "/dev", baud: Int,
        framing: SerialFraming = .standard,
        sent: [UInt8] = [], skipped: Int = 0, timeout: Duration? = nil
    ) {
        self.framing = framing
        (sourceName, self.baud, self.sent) = (device, baud, sent)
        let isDevice = device.hasPrefix("/dev/")
        path = isDevice ? folder + device.dropFirst("/dev".count) : device
        (self.skipped, self.timeout) = (skipped, timeout)
    }

    public func connect(_ sink: SampleSink) async throws {
        let port = try SerialPort(path, baud: baud, framing: framing)
        try port.write(sent)
        sink.connected()
        let feed = LineFeed(
            sink, skipping: skipped,
            mismatchWarning:
                "\(sourceName) sent no line that matches the sensor pack; is \(baud) its baud rate?"
        )
        let silence = ConnectorError(
            "\(sourceName) stopped sending; does it need a reset, or is \(baud) not its baud rate?"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await port.readAll(feed.take) }
            if let timeout {
                group.addTask {
                    try await feed.waitForSilence(of: timeout)
                    throw silence
                }
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Whether a path is below `/dev` and not the terminal of this process.
    private static func isDevice(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let own = ["/dev/tty", "/dev/console", "/dev/ptmx"]
        return path.hasPrefix("/dev/") && parts.count > 2 && !own.contains(path)
            && parts.dropFirst().allSatisfy { !["", ".", ".."].contains($0) }
    }
}
