import Foundation
import TestSupport

/// A server on the loopback interface that sends fixed bytes to the first client.
final class OneShotServer: Sendable {
    let number: Int
    private let listener: Int32
    private let arrived = DispatchSemaphore(value: 0)

    init(_ words: String) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        number = Int(in_port_t(bigEndian: address.sin_port))
        let bytes = words.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        Thread.detachNewThread { [listener, arrived] in
            let client = accept(listener, nil, nil)
            arrived.signal()
            _ = bytes.withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if !bytes.isEmpty { shutdown(client, Int32(SHUT_WR)) }
            // Closing with unread input would reset the connection and discard the sent bytes.
            var rest = [UInt8](repeating: 0, count: 256)
            while read(client, &rest, rest.count) > 0 {}
            close(client)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Waits until a client has connected.
    func waitForClient() {
        BlockingExecutor.checkMayBlock("waitForClient")
        arrived.wait()
    }
}
