import Auth
import NIOCore
import Samples
import Testing
import Text

@testable import Provider

@Suite(.timeLimit(.minutes(10)))
struct PublishAccessTests {
    private static let sample = #"{"count":5,"mood":"up"}"#

    @Test(
        arguments: [
            ([], 403, "undecided"), (["sensor:steps"], 403, "undecided"),
            (["sensor:steps:stats"], 403, "undecided"), (["sensor:gauge:write"], 403, "undecided"),
            (["sensor:steps:write"], 201, nil), (["sensor:steps", "sensor:steps:write"], 201, nil),
        ] as [([String], Int, String?)])
    func `publishing requires write access`(allow: [String], status: Int, code: String?)
        async throws
    {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let token = try await host.client(allow: allow)
            let answer = try await host.publish(Self.sample, token: token)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.code == code)
            if status == 403 {
                #expect(try answer.json()["privilege"]?.string == "sensor:steps:write")
                #expect(try await host.steps().isEmpty)
            }
        }
    }

    @Test func `write access does not permit reading`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let token = try await host.client(allow: ["sensor:steps:write"])
            for path in ["latest", "samples", "stats", "stream"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/steps/\(path)", token: token))
                #expect(answer.status == 403, "\(path)")
            }
        }
    }

    @Test func `a call without a token and a page of another app are refused`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            var call = Call("POST", "/api/v1/sensors/steps/samples", json: Self.sample)
            #expect(try await host.send(call).status == 401)
            call.token = try await host.client(allow: ["sensor:steps:write"])
            call.host = "other.localhost:\(host.port)"
            #expect(try await host.send(call).status == 403)
        }
    }

    @Test func `permission that ends while the body arrives is detected`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let token = try await host.client(allow: ["sensor:steps:write"])
            let head =
                "POST /api/v1/sensors/steps/samples HTTP/1.1\r\nHost: localhost:\(host.port)\r\n"
                + "Authorization: Bearer \(token)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(Self.sample.utf8.count)\r\n"
                + "Connection: close\r\n\r\n"
            let bytes = try await TCPConnection.with(port: host.port) { reader, writer in
                try await writer.write(.init(string: head + Self.sample.prefix(5)))
                try await host.decide(.deny, "sensor:steps:write", by: "curl")
                // If the host had not read the head yet, it refuses and closes at once.
                try? await writer.write(.init(string: String(Self.sample.dropFirst(5))))
                return await reader.rest()
            }
            let answer = try Answer(parsing: bytes)
            #expect(answer.status == 403)
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `publications are in the access log, not counted as reads`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let token = try await host.client(allow: ["sensor:steps:write"])
            _ = try await host.publish("t,count,mood\n1,5,a\n9,6,b\n", as: "text/csv", token: token)
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
            let line = try #require(lines.first { $0.operation == "publish" })
            #expect(line.access == .write)
            #expect(line.count == 2)
            #expect(line.range?.from == Timestamp(microseconds: 1000))
            #expect(line.outcome == .allowed)
        }
    }
}
