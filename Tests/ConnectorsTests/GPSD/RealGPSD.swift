import Foundation
import NIOCore
import NIOPosix
import Samples
import Synchronization
import TestSupport

/// A private gpsd on a free port, which receives NMEA 0183 sentences; it is killed when this object is released.
final class RealGPSD {
    static let program = "/usr/sbin/gpsd"

    let port: Int
    /// Reserved by the test, since gpsd cannot choose a free port.
    private let lent = ClosedPort(isLent: true)
    private let receiver: any Channel
    private let program: Program

    /// - Parameter first: the time of the first fix; each further one is a second later and arrives
    ///   after a tenth of a second.
    init(first: Timestamp) async throws {
        receiver = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                let sentences = SentenceGenerator(first: first)
                let work = channel.eventLoop.scheduleRepeatedTask(
                    initialDelay: .milliseconds(100), delay: .milliseconds(100)
                ) { _ in
                    channel.writeAndFlush(ByteBuffer(string: sentences.next()), promise: nil)
                }
                channel.closeFuture.whenComplete { _ in work.cancel() }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = lent.number
        let source = "tcp://127.0.0.1:\(receiver.localAddress?.port ?? 0)"
        program = try Program(
            Self.program, ["-N", "-n", "-S", "\(port)", source], environment: [:])
    }

    deinit {
        stop()
        receiver.close(promise: nil)
    }

    func stop() {
        program.end()
    }

    /// Generates the sentences of a receiver that moves to the north-east.
    private final class SentenceGenerator: Sendable {
        private let first: Timestamp
        private let count = Mutex(0)

        init(first: Timestamp) {
            self.first = first
        }

        func next() -> String {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let time = first.advanced(byMicroseconds: Int64(number) * 1_000_000)
            // 2026-11-21T22:23:01…
            let text = Array("\(time)")
            let clock = String(text[11..<13] + text[14..<16] + text[17..<19]) + ".00"
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
