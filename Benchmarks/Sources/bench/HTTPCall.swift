import Foundation
import Glibc

/// A call on a new connection, with as little code as possible.
struct HTTPCall {
    let port: Int
    let token: String

    /// Sends the call and reads until the answer contains `marker`.
    ///
    /// - Returns: the text that was read.
    /// - Throws: `Programs.Failure` if the server closes the connection before `marker`.
    func post(_ path: String, until marker: String = "\r\n\r\n") throws -> String {
        let descriptor = try HTTPConnection.connected(to: port)
        defer { close(descriptor) }
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
