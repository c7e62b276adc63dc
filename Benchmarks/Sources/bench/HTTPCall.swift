import Foundation
import Glibc

/// One call on a connection of its own, as plainly as it can be made.
struct HTTPCall {
    let port: Int
    let token: String

    /// Sends it and reads until `marker` has come or the server closes.
    ///
    /// - Returns: what came.
    func post(_ path: String, until marker: String = "\r\n\r\n") throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Programs.Failure(description: "no connection") }
        let request = Array(
            """
            POST \(path) HTTP/1.1\r\nHost: localhost:\(port)\r
            Authorization: Bearer \(token)\r\nContent-Length: 0\r\n\r\n
            """.utf8)
        _ = write(descriptor, request, request.count)
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !text.contains(marker) {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        guard text.contains(marker) else { throw Programs.Failure(description: text) }
        return text
    }
}
