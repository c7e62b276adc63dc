import Auth
import Ingest
import NIOCore
import Samples
import Testing
import Text
import VM

@testable import Provider

@Suite(.timeLimit(.minutes(10)))
struct PublishTests {
    private static let two = "1,5,\"up\"\n2,6,\"down\"\n"

    @Test(arguments: [
        ("application/json", #"[{"t":1,"count":5,"mood":"up"},{"t":2,"count":6,"mood":"down"}]"#),
        (
            "application/json; charset=utf-8",
            #"{"samples":[{"t":1,"count":5,"mood":"up"},{"mood":"down","t":2,"count":6}]}"#
        ),
        (
            "application/x-ndjson",
            "{\"t\":1,\"count\":5,\"mood\":\"up\"}\n{\"t\":2,\"count\":6,\"mood\":\"down\"}\n"
        ),
        ("text/csv", "t,count,mood\n1,5,up\n2,6,down\n"),
    ])
    func `samples are accepted in each form and can be read immediately`(
        type: String, text: String
    ) async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let answer = try await host.publish(text, as: type)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try answer.json()["accepted"]?.number?.int64 == 2)
            #expect(try answer.json()["last"]?.number?.int64 == 2)
            #expect(try await host.steps() == Self.two)
        }
    }

    @Test func `too many samples are rejected as a whole`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let row = "1,5,up\n"
            let many = String(repeating: row, count: VirtualMachine.largestBatch + 1)
            let answer = try await host.publish("t,count,mood\n" + many, as: "text/csv")
            #expect(answer.status == 413)
            #expect(answer.code == "too-large")
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `exported columns can be published again`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            _ = try await host.publish("t,count,mood\n1,5,up\n2,6,down\n", as: "text/csv")
            let columns = try await host.send(
                Call(
                    "GET", "/api/v1/sensors/steps/samples", token: host.owner,
                    headers: [("Accept", SampleFormat.columns.rawValue)]))
            #expect(columns["content-type"] == SampleFormat.columns.rawValue)
            let again = try await host.send(
                Call(
                    "POST", "/api/v1/sensors/steps/samples", token: host.owner,
                    headers: [("Content-Type", SampleFormat.columns.rawValue)],
                    body: columns.body + columns.body))
            #expect(again.status == 201, "\(again.text)")
            let samples = try await host.machine.samples.rows(
                SampleQuery(sensor: "steps", limit: 10))
            #expect(samples.count == 6)
        }
    }

    @Test(arguments: [
        ("t,count,mood\n1,5,up\n2,x,down\n", 422, "invalid-sample", "Line 3, field count: "),
        ("t,count\n1,5\n", 422, "invalid-sample", "Line 1, field mood: "),
        ("t,count,mood\n1,5,up,7\n", 400, "invalid-body", "Line 2: "),
        ("", 400, "invalid-body", "Line 1: "),
    ])
    func `a body with one invalid sample stores none, and the error has its position`(
        text: String, status: Int, code: String, detail: String
    ) async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let answer = try await host.publish(text, as: "text/csv")
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(try answer.json()["detail"]?.string?.hasPrefix(detail) == true)
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `a repeated batch gets the first answer and is stored once`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let body = #"{"count":5,"mood":"up"}"#
            let first = try await host.publish(body, key: "a")
            let second = try await host.publish(body, key: "a")
            #expect(first.status == 201 && second.status == 201)
            #expect(first.text == second.text)
            #expect(
                try await host.machine.samples.rows(SampleQuery(sensor: "steps", limit: 9)).count
                    == 1)
            let other = try await host.publish(#"{"count":6,"mood":"up"}"#, key: "a")
            #expect(other.status == 422)
            #expect(other.code == "key-reused")
            // The same bytes in another form are another batch.
            let lines = try await host.publish(body, as: "application/x-ndjson", key: "a")
            #expect(lines.code == "key-reused")
            #expect(try await host.publish(body, key: "b").status == 201)
            #expect(
                try await host.machine.samples.rows(SampleQuery(sensor: "steps", limit: 9)).count
                    == 2)
        }
    }

    @Test func `the keys of clients are independent`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let token = try await host.client(allow: ["sensor:steps:write"])
            _ = try await host.publish(#"{"count":5,"mood":"up"}"#, key: "a")
            let other = try await host.publish(#"{"count":6,"mood":"up"}"#, token: token, key: "a")
            #expect(other.status == 201)
        }
    }

    @Test func `a batch whose response was lost is stored once`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try? await host.publish(#"{"count":5,"mood":"up"}"#, key: "a").status
                    }
                }
                for await status in group { #expect(status == 201) }
            }
            #expect(
                try await host.machine.samples.rows(SampleQuery(sensor: "steps", limit: 9)).count
                    == 1)
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 256), "é"])
    func `an invalid key is rejected`(key: String) async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let answer = try await host.publish(#"{"count":5,"mood":"up"}"#, key: key)
            #expect(answer.status == 400)
        }
    }

    @Test func `nothing can be published to a sensor that the host reads`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:quiet:write"])
            for key in [nil, "k"] {
                let answer = try await host.publish(
                    #"{"rate":5}"#, to: "quiet", token: token, key: key)
                #expect(answer.status == 409)
                #expect(answer.code == "sensor-collected")
                #expect(try answer.json()["fix"]?.string == "Ask the owner.")
            }
        }
    }

    @Test func `nothing can be published to a sensor that is off`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            try await host.machine.setLevel(.off, of: "steps")
            let answer = try await host.publish(#"{"count":5,"mood":"up"}"#)
            #expect(answer.status == 409)
            #expect(answer.code == "sensor-off")
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `a stream contains published samples`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let answer = try await host.publish(#"{"count":5,"mood":"up"}"#, to: "steps")
            #expect(answer.status == 201)
            try await host.stream(of: "steps", after: "0") { events in
                await events.read { $0.ids.count >= 1 }
                #expect(events.text.contains(#""count":5,"mood":"up"}"#))
            }
        }
    }

    @Test(arguments: ["zz\r\nx", "5\r\n{\"cou\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"])
    func `an incomplete body, or one with invalid chunks, stores nothing`(
        body: String
    ) async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let head =
                "POST /api/v1/sensors/steps/samples HTTP/1.1\r\nHost: localhost:\(host.port)\r\n"
                + "Authorization: Bearer \(host.owner)\r\nTransfer-Encoding: chunked\r\n"
                + "Connection: close\r\n\r\n"
            let answer = try Answer(parsing: try await host.raw(Array((head + body).utf8)))
            #expect(answer.status == 400)
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `a client that disconnects within a body stores nothing`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let head =
                "POST /api/v1/sensors/steps/samples HTTP/1.1\r\nHost: localhost:\(host.port)\r\n"
                + "Authorization: Bearer \(host.owner)\r\nContent-Type: application/x-ndjson\r\n"
                + "Content-Length: 1000\r\n\r\n{\"count\":5,\"mood\":\"up\"}\n"
            try await TCPConnection.with(port: host.port) { _, writer in
                try await writer.write(.init(string: head))
            }
            #expect(try await host.send(Call("GET", "/health")).status == 200)
            #expect(try await host.steps().isEmpty)
        }
    }

    @Test func `a body above the limit is rejected, however it is sent`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: SampleIntake.longestBody + 1)
            let answer = try await host.send(
                Call(
                    "POST", "/api/v1/sensors/steps/samples", token: host.owner,
                    headers: [("Content-Type", "application/x-ndjson")], body: blank))
            #expect(answer.status == 413)
            #expect(answer.code == "too-large")
        }
    }
}
