import Foundation
import Glibc

/// A connection for one call after the other, as plain as it can be made.
final class HTTPConnection {
    private let descriptor: Int32
    private let fields: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)

    init(port: Int, token: String) throws {
        fields = "Host: localhost:\(port)\r\nAuthorization: Bearer \(token)\r\n"
        descriptor = try Self.connected(to: port)
    }

    deinit { close(descriptor) }

    static func connected(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Programs.Failure(description: "no connection")
        }
        return descriptor
    }

    /// - Returns: how many bytes came, those that frame the body among them.
    @discardableResult
    func get(_ path: String, accept: String = "*/*") throws -> Int {
        try call("GET \(path) HTTP/1.1\r\n\(fields)Accept: \(accept)\r\n\r\n", [])
    }

    func post(_ path: String, _ body: [UInt8], type: String) throws {
        _ = try call(
            """
            POST \(path) HTTP/1.1\r\n\(fields)Content-Type: \(type)\r
            Content-Length: \(body.count)\r\n\r\n
            """, body)
    }

    private func call(_ head: String, _ body: [UInt8]) throws -> Int {
        try send(Array(head.utf8))
        try send(body)
        var head: [UInt8] = []
        var whole: Int?
        var count = 0
        while count < whole ?? .max {
            let more = read(descriptor, &buffer, buffer.count)
            guard more > 0 else { break }
            count += more
            guard whole == nil else { continue }
            head += buffer.prefix(more)
            whole = try Self.length(of: head)
        }
        guard let whole, whole == .max || whole == count else {
            throw Programs.Failure(description: "an answer that ends early")
        }
        return count
    }

    /// The bytes of a whole answer; as many as come where the connection ends with it.
    private static func length(of bytes: [UInt8]) throws -> Int? {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound].lowercased()
        guard head.hasPrefix("http/1.1 20") else { throw Programs.Failure(description: text) }
        guard let length = head.range(of: "content-length: ") else { return .max }
        let body = Int(head[length.upperBound...].prefix { $0.isNumber }) ?? 0
        return head.utf8.count + 4 + body
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let more = bytes.withUnsafeBytes { raw in
                write(descriptor, raw.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            guard more > 0 else { throw Programs.Failure(description: "the host has left") }
            sent += more
        }
    }
}
