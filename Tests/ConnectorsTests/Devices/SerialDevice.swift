import Foundation
import Glibc
import Synchronization

@testable import Connectors

/// A pseudo-terminal with a symbolic link, as in `/dev/serial/by-id`.
final class SerialDevice: TestDevice {
    // ioctl_tty(2); missing from the Glibc module.
    private static let unlock: UInt = 0x4004_5431
    private static let numberOf: UInt = 0x8004_5430

    let path: String
    let connector: any Connector
    private let state = Mutex((master: Int32(-1), terminal: ""))

    init(
        path: String, baud: Int = 9600, framing: SerialFraming = .standard, sent: String = "",
        skipped: Int = 0, timeout: Duration? = nil
    ) {
        self.path = path
        connector = SerialConnector(
            device: path, baud: baud, framing: framing, sent: Array(sent.utf8), skipped: skipped,
            timeout: timeout)
    }

    deinit {
        let master = state.withLock { $0.master }
        if master >= 0 { close(master) }
    }

    /// The descriptor on the side of the device.
    var master: Int32 { state.withLock { $0.master } }

    var isInUse: Bool {
        let terminal = state.withLock { $0.terminal }
        let folder = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
                == terminal
        }
    }

    func attach() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (number, lock): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.unlock, &lock) == 0,
            ioctl(master, Self.numberOf, &number) == 0
        else { throw DeviceFault("no pseudo-terminal") }
        state.withLock { $0 = (master, "/dev/pts/\(number)") }
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/dev/pts/\(number)")
    }

    func send(_ bytes: [UInt8]) async throws {
        try await DeviceFault.write(bytes, to: master)
    }

    func detach(sending bytes: [UInt8]) async throws {
        try await send(bytes)
        try FileManager.default.removeItem(atPath: path)
        close(master)
        state.withLock { $0.master = -1 }
    }

    /// The text that the host has sent so far.
    func receivedText() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
