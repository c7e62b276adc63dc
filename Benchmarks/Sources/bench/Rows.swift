import Foundation
import Glibc
import Ingest
import SampleStore

/// How long a host takes to return a million rows of a sensor with one axis.
enum Rows {
    private static let count = 1_000_000

    static func figures() async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        try await StoredSeries.kept(in: folder, count).store.close()
        return try await BenchHost.with(folder) { host in
            let token = try host.nervous("token", "create", "bench", "--owner")
            let path = "/api/v1/sensors/\(StoredSeries.sensor)/samples?limit=\(count)"
            var figures: [Figure] = []
            for form in [SampleFormat.columns, .csv, .ndjson] {
                var bytes = 0
                let taken = try await Figure.rounds {
                    // The host closes the connection after a streamed answer.
                    let connection = try HTTPConnection(port: host.port, token: token)
                    return try await seconds {
                        bytes = try connection.get(path, accept: form.rawValue)
                    } * 1000
                }
                let floor = try await transfers(bytes)
                figures.append(
                    Figure(
                        name: "a million rows as \(form.rawValue)", unit: "ms", rounds: taken,
                        limit: String(
                            format: "%.1f MB over a bare socket: %.1f ms", Double(bytes) / 1e6,
                            floor)))
            }
            return figures
        }
    }

    /// The milliseconds in which a number of bytes is sent from one thread to another over loopback.
    private static func transfers(_ bytes: Int) async throws -> Double {
        var rounds: [Double] = []
        for _ in 0..<5 { rounds.append(try await transfer(bytes)) }
        return Figure.median(rounds)
    }

    private static func transfer(_ bytes: Int) async throws -> Double {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound, listen(listener, 1) == 0 else {
            throw Programs.Failure(description: "no listener")
        }
        let reader = try HTTPConnection.connected(to: Int(in_port_t(bigEndian: address.sin_port)))
        defer { close(reader) }
        let writer = accept(listener, nil, nil)
        let sender = Thread {
            let block = [UInt8](repeating: 7, count: 128 << 10)
            var left = bytes
            while left > 0 {
                let sent = write(writer, block, min(left, block.count))
                guard sent > 0 else { break }
                left -= sent
            }
            close(writer)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        return await seconds {
            sender.start()
            while read(reader, &buffer, buffer.count) > 0 {}
        } * 1000
    }
}
