import Foundation
import NIOCore
import TestSupport
import Testing

/// Clients that send `Expect: 100-continue` before a body.
@Suite(.timeLimit(.minutes(10)))
struct ContinueTests {
    private static func head(_ host: ServedHost, _ more: String, length: Int) -> String {
        """
        POST /api/v1/sensors/steps/samples HTTP/1.1\r
        Host: localhost:\(host.port)\r
        Authorization: Bearer \(host.owner)\r
        Content-Type: text/csv\r
        Content-Length: \(length)\r
        \(more)\r\n
        """
    }

    private static let body = "t,count,mood\r\n1000,1,fine\r\n"

    /// - Returns: the bytes received until they contain `text`.
    private static func read(
        _ reader: TCPConnection.Reader, until text: String
    ) async -> String {
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains(text), let more = await reader.next()
        {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func `a client that asks gets 100 and then the response`(value: String) async throws {
        try await ServedHost.with { host in
            try await host.declareSteps()
            try await TCPConnection.with(port: host.port) { reader, writer in
                let head = Self.head(host, "Expect: \(value)\r\n", length: Self.body.utf8.count)
                try await writer.write(ByteBuffer(string: head))
                let first = await Self.read(reader, until: "\r\n\r\n")
                #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
                try await writer.write(ByteBuffer(string: Self.body))
                let answer = await Self.read(reader, until: "}")
                #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
            }
            #expect(try await host.steps().hasPrefix("1000,1,"))
        }
    }

    @Test func `a client that does not ask does not get 100`() async throws {
        try await ServedHost.with { host in
            try await host.declareSteps()
            let text =
                Self.head(host, "Connection: close\r\n", length: Self.body.utf8.count) + Self.body
            let answer = String(decoding: try await host.raw(Array(text.utf8)), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
            #expect(answer.ranges(of: "HTTP/1.1").count == 1)
        }
    }

    @Test func `no 100 is sent within an earlier response`() async throws {
        try await ServedHost.with { host in
            try await host.declareSteps()
            let first =
                "GET /openapi.json HTTP/1.1\r\nHost: localhost:\(host.port)\r\n\r\n"
            let second = Self.head(host, "Expect: 100-continue\r\n", length: Self.body.utf8.count)
            try await TCPConnection.with(port: host.port) { reader, writer in
                try await writer.write(ByteBuffer(string: first + second))
                let text = await Self.read(reader, until: "100 Continue\r\n\r\n")
                let parts = text.components(separatedBy: "HTTP/1.1 100 Continue\r\n\r\n")
                try #require(parts.count == 2 && parts[1].isEmpty, "\(text.suffix(200))")
                let answer = try Answer(parsing: Array(parts[0].utf8), isHead: false)
                #expect(answer.status == 200)
                try await writer.write(ByteBuffer(string: Self.body))
                #expect(await Self.read(reader, until: "}").hasPrefix("HTTP/1.1 201"))
            }
        }
    }

    /// It would wait for ten minutes, beyond the limit of the test.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
    func `curl sends a large body without waiting`() async throws {
        try await ServedHost.with { host in
            try await host.declareSteps()
            let samples = host.folder.appending(path: "samples.csv")
            let rows = (0..<100_000).map { "\($0),\($0),fine" }
            try ("t,count,mood\r\n" + rows.joined(separator: "\r\n") + "\r\n")
                .write(to: samples, atomically: true, encoding: .utf8)
            let output = host.folder.appending(path: "answer")
            let curl = try Program(
                "/usr/bin/curl",
                [
                    "-sS", "-i", "--noproxy", "*", "--expect100-timeout", "600", "-H",
                    "Authorization: Bearer \(host.owner)", "-H", "Content-Type: text/csv",
                    "--data-binary", "@\(samples.path)", "-o", output.path,
                    "http://localhost:\(host.port)/api/v1/sensors/steps/samples",
                ], errors: .inherited)
            #expect(try await curl.wait() == 0)
            let answer = try String(contentsOf: output, encoding: .utf8)
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201"), "\(answer)")
            #expect(answer.contains(#""accepted":100000"#), "\(answer)")
        }
    }
}
