import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Provider

/// How many connections a server has at one time.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private static let limit = 8
    /// The kernel hands over several connections at once, so that a few more are accepted.
    private static let excess = 8

    /// Connects without a word.
    private static func connect(_ host: ServedHost) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: host.port).get()
    }

    /// The connections that the server has accepted: only these have an inode, proc(5).
    private static func accepted(_ host: ServedHost) throws -> Int {
        let end = "0100007F:" + String(format: "%04X", host.port)
        // String(contentsOfFile:) reads only the first page of such a file.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var count = 0
        for line in table.split(separator: "\n") {
            let columns = line.split(separator: " ").map(String.init)
            guard columns.count > 9, columns[1] == end, columns[3] == "01" else { continue }
            if columns[9] != "0" { count += 1 }
        }
        return count
    }

    @Test func `connections beyond the limit wait until others end`() async throws {
        let limits = ConnectionLimits(connections: Self.limit)
        try await ServedHost.with(limits: limits) { host in
            var idle: [any Channel] = []
            for _ in 0..<4 * (Self.limit + Self.excess) {
                idle.append(try await Self.connect(host))
            }
            // Behind all of them, and answered when they have gone.
            async let answer = host.send(Call("GET", "/health"))
            try await until { try Self.accepted(host) >= Self.limit }
            #expect(try Self.accepted(host) <= Self.limit + Self.excess)
            for channel in idle { try await channel.close() }
            #expect(try await answer.status == 200)
            #expect(try await host.send(Call("GET", "/health")).status == 200)
        }
    }
}
