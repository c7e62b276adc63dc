import Auth
import Ingest
import NIOCore
import Samples
import Testing
import Text

@testable import Provider

@Suite(.timeLimit(.minutes(10)))
struct SampleStreamTests {
    private static let count = 30_000

    /// Publishes samples of `rate` at every millisecond.
    private static func fill(_ host: ServedHost) async throws {
        _ = try await host.send(
            Call(
                "PUT", "/api/v1/sensors/rates", token: host.owner,
                json: """
                    {"title": "Rates", "fields": [{"name": "rate", "unit": "By/s"}]}
                    """))
        let rows = (0..<count).map { "\($0),\(Double($0) / 8)\n" }.joined()
        let answer = try await host.publish("t,rate\n" + rows, as: "text/csv", to: "rates")
        #expect(answer.status == 201, "\(answer.text)")
    }

    private static func get(
        _ host: ServedHost, _ query: String, _ form: SampleFormat, token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(
                "GET", "/api/v1/sensors/rates/samples?\(query)", token: token ?? host.owner,
                headers: [("Accept", form.rawValue)]))
    }

    @Test(arguments: [SampleFormat.ndjson, .csv, .columns])
    func `a response of more than a page is one body with each sample once and in order`(
        form: SampleFormat
    ) async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            let answer = try await Self.get(host, "limit=10000000", form)
            #expect(answer["transfer-encoding"] == "chunked")
            #expect(answer["trailer"] == "Link, Nervous-Damaged")
            let fields = [Field("rate", unit: "By/s")]
            var parser = SampleParser(form, fields: fields, now: .now())
            #expect(throws: Never.self) { try answer.body.withUnsafeBytes { try parser.read($0) } }
            let batch = try parser.finish()
            #expect(batch.times.map(\.microseconds) == (0..<Self.count).map { Int64($0) * 1000 })
            #expect(batch.columns == [.numbers((0..<Self.count).map { Double($0) / 8 })])
        }
    }

    @Test func `a truncated stream links to the next samples`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            let call = Call(
                "GET", "/api/v1/sensors/rates/samples?limit=20001&order=desc", token: host.owner,
                headers: [("Accept", "text/csv")])
            let bytes = try await host.raw(call.bytes(standardHost: "localhost:\(host.port)"))
            let text = String(decoding: bytes, as: UTF8.self)
            let link = try #require(text.firstMatch(of: /\r\n0\r\nLink: <([^>]*)>; rel="next"/))
            let rest = try await host.send(
                Call("GET", String(link.1), token: host.owner, headers: [("Accept", "text/csv")]))
            #expect(rest.text.hasSuffix("\r\n0,0.0\r\n"))
            #expect(rest.text.split(separator: "\r\n").count == Self.count - 20001 + 1)
        }
    }

    @Test func `the connection is closed after a stream`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            #expect(try await Self.get(host, "limit=10000000", .csv)["connection"] == "close")
            #expect(try await Self.get(host, "limit=100", .csv)["connection"] != "close")
        }
    }

    @Test func `JSON is returned in pages, never as a stream`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            let answer = try await Self.get(host, "limit=10000000", .json)
            #expect(try answer.json()["items"]?.array?.count == 10_000)
            #expect(try answer.json()["next"]?.string != nil)
        }
    }

    @Test func `the terms of a grant apply to a stream`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            let token = try await host.client()
            try await host.decide(
                .allow(Terms(access: .raw, maximumRate: 10, precision: 1000)), "sensor:rates",
                by: "curl")
            let answer = try await Self.get(host, "limit=1000000", .csv, token: token)
            let rows = answer.text.split(separator: "\r\n").dropFirst()
            #expect(rows.count == Self.count / 100)
            #expect(rows.allSatisfy { $0.hasSuffix("000.0") || $0.hasSuffix(",0.0") })
        }
    }

    @Test func `a stream is in the access log with every sample`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            let token = try await host.client(allow: ["sensor:rates"])
            _ = try await Self.get(host, "limit=1000000", .columns, token: token)
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
            let read = lines.filter { $0.operation == "samples" }
            #expect(read.map(\.count).reduce(0, +) == Self.count)
        }
    }

    @Test(arguments: ["fields=none", "where=x", "cursor=x"])
    func `an invalid query is rejected before the stream begins`(query: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.get(host, "limit=1000000&\(query)", .csv)
            #expect(answer.status >= 400)
            #expect(answer["content-type"] == "application/problem+json")
        }
    }

    @Test func `a stream whose permission ends is incomplete for the client`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await Self.fill(host)
            for _ in 0..<6 { try await Self.fill(host) }
            let token = try await host.client(allow: ["sensor:rates"])
            let call = Call(
                "GET", "/api/v1/sensors/rates/samples?limit=1000000", token: token,
                headers: [("Accept", "application/x-ndjson")])
            let bytes = call.bytes(standardHost: "localhost:\(host.port)")
            let text = try await TCPConnection.with(port: host.port) { reader, writer in
                try await writer.write(.init(bytes: bytes))
                var found = await reader.next() ?? []
                try await host.decide(.deny, "sensor:rates", by: "curl")
                found += await reader.rest()
                return String(decoding: found, as: UTF8.self)
            }
            #expect(text.hasPrefix("HTTP/1.1 200"))
            #expect(!text.hasSuffix("0\r\n\r\n"))
        }
    }
}
