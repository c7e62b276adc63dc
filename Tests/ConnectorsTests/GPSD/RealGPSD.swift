import Foundation
import Glibc
import NIOCore
import NIOPosix
import Samples
import Scheduling
import Synchronization
import TestSupport

/// A private gpsd on a free port, which receives NMEA 0183 sentences; it is killed when this object is released.
final class RealGPSD {
    static let program = "/usr/sbin/gpsd"
    /// The longitude of all positions of the simulated receiver.
    static let longitude = 8.25

    let port: Int
    /// Reserved by the test, since gpsd cannot choose a free port.
    private let reservedPort = ClosedPort(allowsReuse: true)
    private let receiver: any Channel
    private let program: Program
    /// The socket that takes commands to add a receiver, and the address of the receiver.
    private let control: String
    private let source: String

    /// - Parameters:
    ///   - delay: how far the time of a fix is behind the clock; there are ten fixes a second.
    ///   - isPluggedIn: whether gpsd knows the receiver from the start.
    ///   - recording: what the receiver sends before that.
    init(delay: Duration, isPluggedIn: Bool = true, recording: Data = Data()) async throws {
        receiver = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                let sentences = SentenceGenerator(delay: delay)
                let before = Mutex(recording)
                let work = channel.eventLoop.scheduleRepeatedTask(
                    initialDelay: .milliseconds(100), delay: .milliseconds(100)
                ) { _ in
                    let first = before.withLock { before in
                        defer { before = Data() }
                        return before
                    }
                    channel.write(ByteBuffer(bytes: first), promise: nil)
                    channel.writeAndFlush(ByteBuffer(string: sentences.next()), promise: nil)
                }
                channel.closeFuture.whenComplete { _ in work.cancel() }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = reservedPort.number
        source = "tcp://127.0.0.1:\(receiver.localAddress?.port ?? 0)"
        control = FileManager.default.temporaryDirectory
            .appending(path: "gpsd-\(UUID().uuidString.prefix(8))").path(percentEncoded: false)
        program = try Program(
            Self.program,
            ["-N", "-n", "-S", "\(port)", "-F", control] + (isPluggedIn ? [source] : []),
            environment: [:])
    }

    /// Adds the receiver, as `gpsdctl add` does.
    func plugIn() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(control.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let command = Array("+\(source)\r\n".utf8)
        guard isConnected, write(descriptor, command, command.count) == command.count else {
            throw DeviceFault("gpsd takes no commands: \(String(cString: strerror(errno)))")
        }
        // gpsd answers OK or ERROR.
        var answer = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &answer, answer.count)
        guard answer.prefix(max(0, count)).starts(with: "OK".utf8) else {
            throw DeviceFault("gpsd refused the receiver")
        }
    }

    deinit {
        stop()
        receiver.close(promise: nil)
        try? FileManager.default.removeItem(atPath: control)
    }

    func stop() {
        program.end()
    }

    /// Generates the sentences of a receiver that moves to the north-east.
    private final class SentenceGenerator: Sendable {
        private let delay: Duration
        private let count = Mutex(0)

        init(delay: Duration) {
            self.delay = delay
        }

        func next() -> String {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let now = Timestamp.now().microseconds / 10_000
            let time = Timestamp(microseconds: now * 10_000)
                .advanced(byMicroseconds: -delay.wholeMicroseconds)
            // 2026-11-21T22:23:01…
            let text = Array("\(time)")
            let hundredths = String(format: "%02d", Int(time.microseconds / 10_000 % 100))
            let clock = String(text[11..<13] + text[14..<16] + text[17..<19]) + ".\(hundredths)"
            let date = String(text[8..<10] + text[5..<7] + text[2..<4])
            let minutes = String(format: "%07.4f", 30 + Double(number) * 0.01)
            let position = "47\(minutes),N,00815.0000,E"
            return [
                "GPGGA,\(clock),\(position),1,05,1.5,450.0,M,48.0,M,,",
                "GPGSA,A,3,01,02,03,04,05,,,,,,,,2.5,1.5,2.0",
                "GPGSV,2,1,06,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45",
                "GPGSV,2,2,06,05,30,100,40,06,10,200,",
                "GPRMC,\(clock),A,\(position),10.0,045.0,\(date),,,A",
            ].map(Self.sentence).joined()
        }

        private static func sentence(_ body: String) -> String {
            let sum = body.utf8.reduce(0) { $0 ^ $1 }
            return "$\(body)*\(String(format: "%02X", sum))\r\n"
        }
    }
}
