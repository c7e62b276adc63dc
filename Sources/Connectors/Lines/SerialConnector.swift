/// Lines of a device at a serial port, also of USB.
public struct SerialConnector: ConnectorKind {
    public static let kind = "serial"

    /// The first line may be half of one: who opens a port comes in the middle of what is said.
    private static let standardSkip = 1
    private static let mostSent = 1024

    public let place: String
    private let baud: Int
    private let sent: [UInt8]
    private let skipped: Int
    /// How long a device may say nothing; `nil` for as long as it likes.
    private let patience: Duration?

    /// Takes `device`, `baud` (9600), `send` (texts that are written after opening, as they stand),
    /// `skip` (how many lines are passed over after opening, 1) and `timeout` (the longest silence).
    public init(_ source: inout PackObject) throws(PackError) {
        let device = try source.requiredText("device")
        guard Self.isDevice(device) else {
            throw source.wrong(
                "device", "is no path of a device such as /dev/ttyUSB0 or /dev/serial/by-id/…")
        }
        let baud = try source.integer("baud", in: 1...10_000_000) ?? 9600
        guard BaudRate.speed(of: baud) != nil else {
            let rates = BaudRate.all.map { "\($0)" }.joined(separator: ", ")
            throw source.wrong("baud", "is none of \(rates)")
        }
        let sent = Array(try source.texts("send")?.joined().utf8 ?? "".utf8)
        guard sent.count <= Self.mostSent else {
            throw source.wrong("send", "is more than \(Self.mostSent) bytes")
        }
        self.init(
            device: device, baud: baud, sent: sent,
            skipped: try source.integer("skip", in: 0...1000) ?? Self.standardSkip,
            patience: try source.span("timeout", in: .seconds(1)...(.seconds(366 * 86_400))))
    }

    /// - Parameter patience: how long the device may say nothing.
    init(device: String, baud: Int, sent: [UInt8] = [], skipped: Int = 0, patience: Duration? = nil)
    {
        (place, self.baud, self.sent) = (device, baud, sent)
        (self.skipped, self.patience) = (skipped, patience)
    }

    public func connect(_ sink: SampleSink) async throws {
        let port = try SerialPort(place, baud: baud)
        try port.write(sent)
        sink.connected()
        let feed = LineFeed(
            sink, skipping: skipped,
            doubt: "\(place) sends no line that the sensor pack knows; is \(baud) its baud rate?")
        let silence = ConnectorError(
            "\(place) says nothing any more; does it need a reset, or is \(baud) not its baud rate?"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await port.readAll(feed.take) }
            if let patience {
                group.addTask {
                    try await feed.waitForSilence(of: patience)
                    throw silence
                }
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Beneath `/dev`, and not the terminal of this program itself.
    private static func isDevice(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let own = ["/dev/tty", "/dev/console", "/dev/ptmx"]
        return path.hasPrefix("/dev/") && parts.count > 2 && !own.contains(path)
            && parts.dropFirst().allSatisfy { !["", ".", ".."].contains($0) }
    }
}
