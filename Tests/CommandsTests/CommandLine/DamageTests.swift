import Foundation
import GRDB
import Samples
import TestSupport
import Testing

/// The behaviour of the program with a damaged byte in a real file.
@Suite(.blocking)
struct DamageTests {
    /// Inverts a byte in the middle of the first complete chunk of a file, and prints the time
    /// range of the chunk in milliseconds.
    private static let script = """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        data, start, end = file.execute(
            "SELECT data, fromTime, toTime FROM content JOIN chunk ON id = chunk"
            " WHERE count = 32768 ORDER BY fromTime LIMIT 1").fetchone()
        file.close()
        with open(sys.argv[1], "r+b") as file:
            whole, middle = file.read(), len(data) // 2
            # Where a page of the file ends, what follows in the chunk does not follow in the file.
            pieces = (data[place:place + 16] for place in range(middle, middle + 32))
            piece = next(piece for piece in pieces if whole.count(piece) == 1)
            file.seek(whole.index(piece))
            file.write(bytes([piece[0] ^ 1]))
        print(start / 1000, (end + 1) / 1000)
        """

    private struct Answer: Decodable {
        struct Range: Decodable, Equatable {
            var sensor: String?
            let from: Double?
            let to: Double?
        }

        struct Item: Decodable {
            let t: Double?
            let count: Int?
            let partial: Bool?
            let approximate: Bool?
        }

        let damaged: [Range]?
        let items: [Item]?
    }

    /// Stores 70 000 samples, one each 10 ms from 1970 on, and damages the first chunk.
    private static func damaged(
        _ sandbox: Sandbox, sensor: String = "walk", fields: [String] = ["x"]
    ) throws -> Answer.Range {
        let host = try ServingHost(sandbox)
        let declared = fields.flatMap { ["--field", $0] }
        #expect(try sandbox.nervous(["sensors", "add", sensor] + declared).code == 0)
        // Noise, so that no part of it occurs twice.
        let rows = (0..<70_000).map { row in
            let values = fields.map { _ in "\(Double.random(in: 0..<1))" }
            return "\(row * 10),\(values.joined(separator: ","))\n"
        }
        let path = sandbox.path("in.csv")
        let text = "t,\(fields.joined(separator: ","))\n" + rows.joined()
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try sandbox.nervous("import", path, "--sensor", sensor).code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let edit = try Invocation(
            "/usr/bin/env", ["python3", "-c", script, "\(sandbox.data)/samples.sqlite"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"])
        #expect(edit.code == 0, "\(edit.errors)")
        let numbers = edit.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        return Answer.Range(from: numbers.first, to: numbers.last)
    }

    @Test func `a route with damaged samples reports them`() throws {
        let sandbox = try Sandbox()
        let range = try Self.damaged(
            sandbox, sensor: "location.phone", fields: ["latitude", "longitude"])
        let made = try sandbox.nervous("sessions", "new", "x", "--sensor", "location.phone")
        let id = made.output.trimmingCharacters(in: .newlines)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        let queue = try DatabaseQueue(path: "\(sandbox.data)/sessions.sqlite")
        try queue.write { try $0.execute(sql: "UPDATE session_event SET time = 0") }
        try queue.close()
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "admin", "--owner").output
            .trimmingCharacters(in: .newlines)
        let call = try sandbox.curl(
            "-i", "-H", "Authorization: Bearer \(token)",
            host.url("/api/v1/sessions/\(id)/route"))
        #expect(call.status == 200)
        let line = try #require(call.body.firstMatch(of: /Nervous-Damaged: ([^\r\n]+)/)?.1)
        let ends = line.split(separator: "/").compactMap { Timestamp(rfc3339: String($0)) }
        #expect(ends.map(\.milliseconds) == [range.from, range.to])
        #expect(call.body.contains(#""type":"Feature""#))
    }

    @Test func `every answer reports damaged samples, and the others stay readable`() throws {
        let sandbox = try Sandbox()
        let range = try Self.damaged(sandbox)
        let (from, to) = (Int(range.from ?? 0), Int(range.to ?? 0))
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:walk")
            .output.trimmingCharacters(in: .newlines)
        func curl(_ path: String, _ more: String...) throws -> String {
            let words = ["-H", "Authorization: Bearer \(token)", host.url("/api/v1/\(path)")]
            let call = try Invocation(
                "/usr/bin/curl", ["-s", "--max-time", "540"] + words + more,
                environment: sandbox.environment)
            return call.output
        }
        func answer(_ path: String, _ more: String...) throws -> Answer {
            let text = more.isEmpty ? try curl(path) : try curl(path, "--json", more[0])
            return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
        }
        let samples = "sensors/walk/samples?limit=2"
        let page = try answer(samples)
        #expect(page.damaged == [range] && page.items?.first?.t == Double(to / 10 * 10 + 10))
        #expect(try answer("\(samples)&from=\(to + 10)").damaged == nil)
        for type in ["application/json", "application/x-ndjson", "text/csv"] {
            let text = try curl(samples, "-i", "-H", "Accept: \(type)")
            #expect(text.contains("Nervous-Damaged: 1970-01-01T00:00:00.000000Z/1970-"), "\(type)")
        }
        let stream = try curl(
            "sensors/walk/samples?limit=50000&order=desc", "--raw", "-H", "Accept: text/csv")
        #expect(
            stream.split(whereSeparator: \.isNewline).last?.hasPrefix("Nervous-Damaged: 1970-")
                == true)

        let whole = try answer("sensors/walk/stats?fn=count,median&to=1000000")
        #expect(whole.damaged == [range])
        #expect(whole.items?.first?.count == 70_000 && whole.items?.first?.approximate == true)
        let part = try answer("sensors/walk/stats?fn=mean&from=\(from + 500)&to=\(to + 1010)")
        #expect(part.items?.first?.partial == true && part.items?.first?.count == 100)
        #expect(part.damaged == [Answer.Range(from: Double(from + 500), to: range.to)])
        let rest = try answer("sensors/walk/stats?fn=median&from=\(to + 10)&to=1000000")
        #expect(rest.damaged == nil && rest.items?.first?.partial == nil)

        // The samples after `Last-Event-ID`, preceded by the damaged ranges.
        func live(after id: Int) throws -> String {
            let words = [
                "-sN", "-H", "Authorization: Bearer \(token)", "-H", "Last-Event-ID: \(id)",
                host.url("/api/v1/sensors/walk/stream"),
            ]
            let curl = try Program(
                "/usr/bin/curl", words, environment: sandbox.environment, output: .pipe)
            return String(decoding: try curl.read { $0.count >= 3000 }.prefix(3000), as: UTF8.self)
        }
        let events = try live(after: 0)
        let event = "event: damage\ndata: {\"damaged\":[{\"from\":\(from),\"to\":\(to).001}]}\n\n"
        #expect(events.contains(event), "\(events)")
        let first = events.firstRange(of: "event: sample\ndata: {\"t\":\(to / 10 * 10 + 10),")
        #expect(
            try #require(events.firstRange(of: event)).lowerBound < first?.lowerBound
                ?? events.startIndex)
        #expect(try !live(after: 40_000).contains("event: damage"))

        let named = Answer.Range(sensor: "walk", from: range.from, to: range.to)
        let trend = #"{"analysis":"trend","inputs":["walk.x"]}"#
        #expect(try answer("analyze", trend).damaged == [named])
        let status = try sandbox.nervous("status", "--json")
        let known = try JSONDecoder().decode(Answer.self, from: Data(status.output.utf8))
        #expect(known.damaged == [named])
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `commands warn about damage, and an export of damaged samples fails`() throws {
        let sandbox = try Sandbox()
        _ = try Self.damaged(sandbox)
        let warning = "warning: samples of walk are damaged and cannot be read: from 1970-01-01 "
        for words in [
            ["query", "walk", "--to", "400000", "--limit", "9000"],
            ["query", "walk", "--stats", "median", "--json"],
            ["analyze", "trend", "walk.x"],
        ] {
            let call = try sandbox.nervous(words)
            #expect(call.code == 0 && call.errors.contains(warning), "\(words): \(call.errors)")
            #expect(!call.output.contains("warning"))
        }
        let out = sandbox.path("out.csv")
        let export = try sandbox.nervous("export", "walk", "-o", out)
        #expect(export.code == 65 && export.errors.contains(warning), "\(export.errors)")
        #expect(export.output.contains("37232 samples"))
        let lines = try String(contentsOfFile: out, encoding: .utf8).split(
            whereSeparator: \.isNewline)
        #expect(lines.count == 37_233)
        // After forgetting, the remaining samples are intact.
        let forget = try sandbox.nervous("forget", "walk", "--to", "327680", "--yes")
        #expect(forget.code == 0, "\(forget.errors)")
        let again = try sandbox.nervous("query", "walk", "--stats", "count,median")
        #expect(again.code == 0 && !again.errors.contains("warning"), "\(again.errors)")
    }
}
