import Ingest
import NIOCore
import NIOPosix
import Samples
import Synchronization
import Tracks

/// Listens to gpsd, the daemon for satellite receivers.
///
/// Fixes are named `latitude`, `longitude`, `altitude`, `accuracy`, `speed` and `heading`, as
/// ``Derived/Fix/fields`` has them; satellites `used` and `visible`.
struct GPSDConnector: ConnectorKind {
    /// What to listen for.
    enum Report: String, CaseIterable, Sendable {
        case fix, satellites
    }

    static let kind = "gpsd"
    static let standardFormat: String? = "named"
    static let standardHost = "127.0.0.1"
    static let standardPort = 2947
    /// For a connection, and again for the first line.
    private static let patience = TimeAmount.seconds(10)

    let host: String
    let port: Int
    /// The path of the one receiver that counts; `nil` for all.
    let device: String?
    let report: Report
    /// When its receiver may rest; `nil` for never.
    let rest: RestCycle?
    private let sleep: @Sendable (Duration) async throws -> Void

    init(_ source: inout PackObject) throws(PackError) {
        host = try source.text("host") ?? Self.standardHost
        port = try source.integer("port", in: 1...65_535) ?? Self.standardPort
        device = try source.text("device")
        report = try source.choice("report", of: Report.self) ?? .fix
        let after = try source.span("restAfter", in: RestCycle.spans)
        let every = try source.span("lookEvery", in: RestCycle.looks)
        guard after != nil || every == nil else {
            throw source.wrong("lookEvery", "means nothing without restAfter")
        }
        rest = after.map { RestCycle(after: $0, every: every ?? RestCycle.standardLook) }
        sleep = { try await Task.sleep(for: $0) }
    }

    init(
        host: String = standardHost, port: Int = standardPort, device: String? = nil,
        report: Report = .fix, rest: RestCycle? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        (self.host, self.port, self.device, self.report) = (host, port, device, report)
        (self.rest, self.sleep) = (rest, sleep)
    }

    var place: String {
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return device.map { "\($0) of gpsd at \(address)" } ?? "gpsd at \(address)"
    }

    func connect(_ sink: SampleSink) async throws {
        let door = ChannelCloser()
        try await withTaskCancellationHandler {
            let channel = try await open(door)
            let greeting = Mutex(false)
            let deadline = channel.channel.eventLoop.scheduleTask(in: Self.patience) {
                door.close()
            }
            defer { deadline.cancel() }
            // However the connection ends, what counts is whether it was gpsd.
            try? await channel.executeThenClose { inbound, outbound in
                let (rests, rest) = AsyncStream.makeStream(of: Duration.self)
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        for await span in rests {
                            try await sleep(span)
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
                            try await outbound.write(ByteBuffer(string: Self.unwatch))
                            rest.yield(span)
                        }
                    }
                    group.cancelAll()
                }
            }
            guard greeting.withLock({ $0 }) else {
                throw ConnectorError("\(place) does not answer as gpsd does.")
            }
            throw ConnectorError("\(place) ended the connection.")
        } onCancel: {
            door.close()
        }
    }

    private func open(
        _ door: ChannelCloser
    ) async throws(ConnectorError) -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(Self.patience)
                // A server that was switched off says nothing, as one without a receiver does.
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelInitializer { channel in
                    door.hold(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ConnectorError("\(place) cannot be reached.")
        }
    }

    /// What lets the receiver rest, as far as nobody else listens to it.
    private static let unwatch = "?WATCH={\"enable\":false}\n"

    /// What asks for reports.
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

/// Closes a channel from anywhere, also while it is being connected.
final class ChannelCloser: Sendable {
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
