import Foundation
import Glibc

/// A server on a free port of this machine that sends scripted bytes.
///
/// Its port and connections are closed with this value.
final class ScriptedServer: Sendable {
    /// A client and its request.
    struct Connection {
        let descriptor: Int32
        let request: String

        var target: String {
            request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }

        /// - Returns: `false` if the client has disconnected.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        func answer(_ body: [UInt8], status: String = "200 OK", headers: String = "") {
            let length = "Content-Length: \(body.count)\r\n"
            send("HTTP/1.1 \(status)\r\nConnection: close\r\n\(length)\(headers)\r\n")
            send(body)
        }

        func redirect(to location: String, status: String = "302 Found") {
            answer([], status: status, headers: "Location: \(location)\r\n")
        }

        /// Sends nothing more until the client disconnects.
        func waitForEnd() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }
    }

    let port: Int
    private let listener: Int32

    init(
        address: String = "127.0.0.1", _ serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        let listener = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, address, &place.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard listener >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = Int(UInt16(bigEndian: place.sin_port))
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                // A child process may inherit the descriptor: the connection is shut down, not only
                // closed.
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { Self.serve(client, serve) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func url(_ path: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    private static func serve(_ client: Int32, _ serve: (Connection) -> Void) {
        defer { close(client) }
        var request: [UInt8] = []
        var byte: UInt8 = 0
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(client, &byte, 1, 0) == 1 else { return }
            request.append(byte)
        }
        serve(Connection(descriptor: client, request: String(decoding: request, as: UTF8.self)))
        shutdown(client, Int32(SHUT_WR))
    }
}
