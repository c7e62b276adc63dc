import Addresses
import Foundation
import NIOCore

extension SocketAddress {
    /// The IP address; `nil` for a Unix socket.
    var ip: IPAddress? { ipAddress.flatMap { IPAddress($0) } }
}

/// Looks up which user owns a TCP connection in the kernel's tables; see proc(5).
enum ConnectionTable {
    /// The user whose program made a connection to this host; `nil` if the kernel no longer lists the
    /// connection.
    static func user(from client: SocketAddress, to server: SocketAddress) -> UInt32? {
        for (file, row) in rows(client, server) {
            // The table of the network namespace of this process: processes in others cannot reach
            // its loopback interface. FileManager reads only the first page of such a file.
            let table = FileHandle(forReadingAtPath: "/proc/self/net/\(file)")
            guard let data = try? table?.readToEnd() else { continue }
            if let user = user(of: row, in: String(decoding: data, as: UTF8.self)) { return user }
        }
        return nil
    }

    /// The user of a row.
    ///
    /// - Parameters:
    ///   - row: its local and its remote address, as the table has them.
    ///   - table: lines of `sl local_address rem_address st queues timer retrnsmt uid …`.
    static func user(of row: String, in table: String) -> UInt32? {
        for line in table.split(separator: "\n") where line.contains(row) {
            let columns = line.split(separator: " ")
            guard columns.count > 7, "\(columns[1]) \(columns[2])" == row else { continue }
            return UInt32(columns[7])
        }
        return nil
    }

    /// The rows that a client's connection can have, with their files.
    private static func rows(
        _ client: SocketAddress, _ server: SocketAddress
    ) -> [(file: String, row: String)] {
        guard let from = End(client), let to = End(server) else { return [] }
        // An IPv6 socket can be connected to an IPv4 address, which is then mapped to IPv6.
        return from.words.count == 1
            ? [("tcp", "\(from) \(to)"), ("tcp6", "\(from.mapped) \(to.mapped)")]
            : [("tcp6", "\(from) \(to)")]
    }

    /// One end of a connection, written as the kernel does.
    private struct End: CustomStringConvertible {
        /// The address, in words that the kernel writes in the byte order of the machine.
        var words: [UInt32]
        let port: UInt16

        init?(_ address: SocketAddress) {
            guard let ip = address.ip, let port = address.port.flatMap(UInt16.init(exactly:)) else {
                return nil
            }
            self.port = port
            switch ip {
            case .v4(let value): words = [value.bigEndian]
            case .v6(let value):
                words = stride(from: 96, through: 0, by: -32).map {
                    UInt32(truncatingIfNeeded: value >> $0).bigEndian
                }
            }
        }

        var mapped: End {
            var end = self
            end.words = [0, 0, UInt32(0xFFFF).bigEndian] + words
            return end
        }

        var description: String {
            words.map { String(format: "%08X", $0) }.joined() + String(format: ":%04X", port)
        }
    }
}
