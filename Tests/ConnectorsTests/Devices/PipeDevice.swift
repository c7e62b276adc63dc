import Foundation
import Glibc
import Synchronization

@testable import Connectors

/// A program that forwards the content of a named pipe.
final class PipeDevice: TestDevice {
    let connector: any Connector
    private let path: String
    private let end = Mutex<Int32>(-1)

    init(path: String) {
        self.path = path
        connector = CommandConnector(["cat", path])
    }

    deinit {
        let end = end.withLock { $0 }
        if end >= 0 { close(end) }
    }

    var isInUse: Bool { Self.processes(naming: path) > 0 }

    func attach() throws {
        guard mkfifo(path, 0o600) == 0 else { throw DeviceFault("no pipe: \(errno)") }
        let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw DeviceFault("the pipe cannot be opened: \(errno)") }
        end.withLock { $0 = opened }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await DeviceFault.write(bytes, to: end.withLock { $0 })
    }

    func detach(sending bytes: [UInt8]) async throws {
        try await send(bytes)
        try FileManager.default.removeItem(atPath: path)
        end.withLock {
            close($0)
            $0 = -1
        }
    }

    /// The number of processes with a text in their arguments.
    static func processes(naming text: String) -> Int {
        let wanted = Array(text.utf8)
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return numbers.filter { number in
            guard Int(number) != nil,
                let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
            else { return false }
            return line.firstRange(of: wanted) != nil
        }.count
    }
}
