import Ingest
import NIOCore
import NIOPosix
import Samples
import Scheduling
import Synchronization
import Tracks

/// Receives reports of gpsd, the daemon for satellite receivers.
///
/// The values of a fix are named as in ``Tracks/Fix/fields``: `latitude`, `longitude`, `altitude`,
/// `accuracy`, `speed` and `heading`. The numbers of satellites are `used` and `visible`. The time that the
/// receiver gives for a fix is `gpsTime`, in seconds since 1970 UTC. The quality of a fix has the names of
/// ``qualityFields``.
struct GPSDConnector: ConnectorKind {
    /// The kind of reports to receive.
    enum Report: String, CaseIterable, Sendable {
        case fix, satellites
        /// The errors and the dilutions of precision of each fix.
        case quality
        /// The time of each fix, and its delay until it arrived.
        case time
    }

    static let kind = "gpsd"
    /// The fields of the report ``Report/quality``.
    static let qualityFields = [
        Field("mode", kind: .integer), Field("accuracy", unit: "m"),
        Field("altitudeAccuracy", unit: "m"), Field("speedAccuracy", unit: "m/s"),
        Field("headingAccuracy", unit: "deg"), Field("climb", unit: "m/s"),
        Field("climbAccuracy", unit: "m/s"), Field("hdop", unit: "1"), Field("vdop", unit: "1"),
        Field("pdop", unit: "1"),
    ]
    static let standardFormat: String? = "named"
    static let standardHost = "127.0.0.1"
    static let standardPort = 2947
    /// The time limit for the connection, and for the first line.
    private static let timeout = TimeAmount.seconds(10)

    let host: String
    let port: Int
    /// The path of the receiver; `nil` for all.
    let device: String?
    let report: Report
    /// When the receiver is suspended; `nil` for never.
    let rest: RestCycle?
    let time: any TimeSource

    init(_ source: inout PackObject) throws(PackError) {
        host = try source.text("host") ?? Self.standardHost
        port = try source.integer("port", in: 1...65_535) ?? Self.standardPort
        device = try source.text("device")
        report = try source.choice("report", of: Report.self) ?? .fix
        let after = try source.duration("restAfter", in: RestCycle.spans)
        let every = try source.duration("pollInterval", in: RestCycle.checkIntervals)
        guard after != nil || every == nil else {
            throw source.wrong("pollInterval", "requires restAfter")
        }
        rest = after.map { RestCycle(after: $0, every: every ?? RestCycle.standardCheckInterval) }
        time = .system
    }

    init(
        host: String = standardHost, port: Int = standardPort, device: String? = nil,
        report: Report = .fix, rest: RestCycle? = nil,
        time: any TimeSource = .system
    ) {
        (self.host, self.port, self.device, self.report) = (host, port, device, report)
        (self.rest, self.time) = (rest, time)
    }

    var sourceName: String {
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return device.map { "\($0) of gpsd at \(address)" } ?? "gpsd at \(address)"
    }

    func connect(_ sink: SampleSink) async throws {
        let closer = ChannelCloser()
        try await withTaskCancellationHandler {
            let channel = try await open(closer)
            let greeting = Mutex(false)
            let deadline = channel.channel.eventLoop.scheduleTask(in: Self.timeout) {
                closer.close()
            }
            defer { deadline.cancel() }
            // The error below depends on whether gpsd answered, not on how the connection ended.
            try? await channel.executeThenClose { inbound, outbound in
                let (rests, rest) = AsyncStream.makeStream(of: Duration.self)
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        for await span in rests {
                            try await time.sleep(for: span)
                            try await outbound.write(ByteBuffer(string: watch))
                        }
                    }
                    var conversation = GPSDConversation(self, sink)
                    for try await bytes in inbound {
                        if conversation.take(bytes.readableBytesView) {
                            deadline.cancel()
                            greeting.withLock { $0 = true }
                            try await outbound.write(ByteBuffer(string: watch))
                            sink.connected()
                            conversation.begin()
                        }
                        if let span = conversation.takeRest() {
                            try await outbound.write(ByteBuffer(string: Self.stopCommand))
                            rest.yield(span)
                        }
                    }
                    group.cancelAll()
                }
            }
            guard greeting.withLock({ $0 }) else {
                throw ConnectorError("\(sourceName) does not speak the protocol of gpsd.")
            }
            throw ConnectorError("\(sourceName) ended the connection.")
        } onCancel: {
            closer.close()
        }
    }

    private func open(
        _ closer: ChannelCloser
    ) async throws(ConnectorError) -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(Self.timeout)
                // Silence is normal without a receiver, so only keep-alive detects a lost server.
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelInitializer { channel in
                    closer.hold(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ConnectorError("\(sourceName) cannot be reached.")
        }
    }

    /// Suspends the receiver unless other clients of gpsd use it.
    private static let stopCommand = "?WATCH={\"enable\":false}\n"

    /// The command that requests reports.
    private var watch: String {
        guard let device else { return "?WATCH={\"enable\":true,\"json\":true}\n" }
        return "?WATCH={\"enable\":true,\"json\":true,\"device\":\"\(Self.escaped(device))\"}\n"
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
    }
}

/// Closes a channel from any thread, even while it is connecting.
private final class ChannelCloser: Sendable {
    private struct State: Sendable {
        var channel: (any Channel)?
        var isClosed = false
    }

    private let state = Mutex(State())

    func hold(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            state.channel = channel
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}
