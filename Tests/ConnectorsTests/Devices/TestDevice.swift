import Connectors
import Foundation
import Glibc

/// A simulated source that a test attaches, sends from and detaches.
protocol TestDevice: AnyObject, Sendable {
    var connector: any Connector { get }
    /// Whether the connector has the device open.
    var isInUse: Bool { get async }

    func attach() async throws
    func send(_ bytes: [UInt8]) async throws
    /// Detaches after sending these bytes, without a line end.
    func detach(sending bytes: [UInt8]) async throws
}

extension TestDevice {
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func detach() async throws { try await detach(sending: []) }
}

/// The kinds of sources that the suite tests.
enum DeviceKind: String, CaseIterable {
    case serial, command, poll, bluetooth

    /// The kinds that can send a line in parts.
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

    /// Writes all bytes, in several writes if needed.
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
