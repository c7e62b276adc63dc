import Connectors
import Foundation
import Glibc

/// A source of one kind, as a test makes it come, speak and go.
protocol TestDevice: AnyObject, Sendable {
    var connector: any Connector { get }
    /// Whether the connector still holds something of the machine.
    var isHeld: Bool { get async }

    func come() async throws
    func say(_ bytes: [UInt8]) async throws
    /// Goes while it says this.
    func go(saying bytes: [UInt8]) async throws
}

extension TestDevice {
    func say(_ text: String) async throws { try await say(Array(text.utf8)) }

    func go() async throws { try await go(saying: []) }
}

/// The kinds of sources that the suite holds for.
enum DeviceKind: String, CaseIterable {
    case serial, command, poll, bluetooth

    /// Those that say a line in pieces.
    static let streams: [DeviceKind] = [.serial, .command, .bluetooth]

    func with<T: Sendable>(_ body: (any TestDevice) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "device-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false) + "/device"
        switch self {
        case .serial: return try await body(SerialDevice(path: path))
        case .command: return try await body(PipeDevice(path: path))
        case .poll: return try await PollDevice.with(body)
        case .bluetooth: return try await body(BluetoothDevice())
        }
    }
}

struct DeviceFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Writes all, however little is taken at once.
    static func write(_ bytes: [UInt8], to descriptor: Int32) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try await Task.sleep(for: .milliseconds(1))
            } else {
                throw DeviceFault("write: \(errno)")
            }
        }
    }
}
