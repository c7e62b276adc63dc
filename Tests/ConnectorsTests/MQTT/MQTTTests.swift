import Foundation
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

@Suite(.blocking, .enabled(if: TestBroker.isInstalled), .timeLimit(.minutes(10)))
struct MQTTTests {
    private let broker: TestBroker

    init() throws {
        broker = try TestBroker()
        try broker.start()
    }

    @Test(arguments: 0...2)
    func `messages become samples at every quality of service`(quality: Int) async throws {
        let testSource = try MQTTTestSource(
            port: broker.port, source: #""topic": "home/t", "qos": \#(quality)"#)
        try await testSource.listening { samples in
            let lines = (1...20).map { #"{"t": \#($0).5}"# }
            try broker.publish(lines: lines, to: "home/t", quality: quality)
            #expect(try await samples.next(20) == (1...20).map { Double($0) + 0.5 })
        }
        #expect(testSource.report.connections == 1)
        #expect(testSource.report.accepted == 20)
        #expect(testSource.report.dropped.total == 0)
    }

    @Test(arguments: [
        ("garden/+/t", ["garden/a/t", "garden/b/t"], ["garden/a/b/t", "house/a/t"]),
        ("garden/#", ["garden", "garden/a", "garden/a/b/t"], ["gardens/a"]),
        ("garden/t", ["garden/t"], ["garden/u", "garden"]),
    ])
    func `topics are matched by level`(
        topic: String, matching: [String], others: [String]
    ) async throws {
        let testSource = try MQTTTestSource(port: broker.port, source: #""topic": "\#(topic)""#)
        try await testSource.listening { samples in
            for other in others { try broker.publish(#"{"t": -1}"#, to: other) }
            for (number, match) in matching.enumerated() {
                try broker.publish(#"{"t": \#(number)}"#, to: match)
            }
            #expect(try await samples.next(matching.count) == matching.indices.map { Double($0) })
        }
        #expect(testSource.report.received == matching.count)
    }

    @Test(arguments: [
        (#""format": "plain""#, "21.5", 21.5), (#""format": "csv""#, "21.5,60", 21.5),
        (#""format": "key-value""#, "Temperature: 21.5", 21.5),
        (#""format": "pattern", "pattern": "T=(?<t>[0-9.]+)C""#, "T=21.5C", 21.5),
    ])
    func `payloads are decoded in every format`(
        payload: String, message: String, number: Double
    ) async throws {
        let names = ["csv": "1", "key-value": "temperature", "pattern": "t"]
        let name = names.first { payload.hasPrefix(#""format": "\#($0.key)""#) }?.value ?? "x"
        let testSource = try MQTTTestSource(
            port: broker.port, fields: #"[{"name": "temperature", "from": "\#(name)"}]"#,
            payload: payload)
        try await testSource.listening { samples in
            try broker.publish(message, to: "home/t")
            #expect(try await samples.next(1) == [number])
        }
    }

    @Test(arguments: [false, true])
    func `retained messages are accepted only if the pack asks for them`(isWanted: Bool)
        async throws
    {
        try broker.publish(#"{"t": 1}"#, to: "home/t", isRetained: true)
        let testSource = try MQTTTestSource(
            port: broker.port, source: #""topic": "home/t", "retained": \#(isWanted)"#)
        try await testSource.listening { samples in
            try broker.publish(#"{"t": 2}"#, to: "home/t", isRetained: true)
            #expect(try await samples.next(1) == [isWanted ? 1 : 2])
        }
    }

    @Test func `incomplete messages are dropped and counted by reason`() async throws {
        let testSource = try MQTTTestSource(
            port: broker.port,
            fields: #"[{"name": "temperature", "from": "t"}, {"name": "humidity", "from": "h"}]"#,
            payload: #""format": "json", "time": {"from": "at", "form": "s"}"#)
        let now = Int(Date.now.timeIntervalSince1970)
        // Read before `listening` returns: its return closes the connection.
        let report = try await testSource.listening { samples in
            try broker.publish(
                lines: [
                    #"{"t": 1, "h": 2, "at": \#(now - 10)}"#,
                    #"{"t": 1, "h": 2, "at": \#(now - 10)}"#,
                    #"{"t": 1, "at": \#(now)}"#, #"{"t": "warm", "h": 2, "at": \#(now)}"#,
                    #"{"t": 1, "h": 2, "at": 1000}"#, #"{"t": 1, "h": 2, "at": \#(now + 86_400)}"#,
                    #"{"t": 1, "h": 2}"#, "{", "\u{1}\u{FFFD}", #"{"t": 1e999, "h": 2, "at": 1}"#,
                    #"{"t": 3, "h": 2, "at": \#(now - 20)}"#, #"{"t": 4, "h": 2, "at": \#(now)}"#,
                ], to: "home/t")
            #expect(try await samples.next(3) == [1, 3, 4])
            return testSource.report
        }
        #expect(report.received == 12)
        #expect(report.accepted == 3)
        #expect(report.dropped.repeated == 1)
        #expect(report.dropped.incomplete == 1)
        #expect(report.dropped.invalidTimestamp == 3)
        #expect(report.dropped.malformed == 4)
        #expect(report.late == 1)
        #expect(report.link == .connected)
    }

    @Test func `messages of any bytes and size keep the connection open`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed: \(seed)")
        var random = SplitMix(state: seed)
        let testSource = try MQTTTestSource(port: broker.port)
        try await testSource.listening { samples in
            let count = 200
            var lines: [String] = []
            for _ in 0..<count {
                // The publisher sends one message per line.
                let bytes = (0..<Int.random(in: 1...300, using: &random)).map { _ in
                    UInt8.random(in: 11...255, using: &random)
                }
                lines.append(String(decoding: bytes, as: UTF8.self))
            }
            lines.append(#"{"t": 1, "long": ""# + String(repeating: "x", count: 300 << 10) + "\"}")
            lines.append(#"{"t": 7}"#)
            try broker.publish(lines: lines, to: "home/t")
            #expect(try await samples.next(1) == [7])
            #expect(testSource.report.received == count + 2)
            // A number alone is valid JSON, but lacks the field.
            let dropped = testSource.report.dropped
            #expect(dropped.malformed + dropped.incomplete == count + 1)
        }
    }

    @Test func `messages above the rate limit are dropped and counted`() async throws {
        let testSource = try MQTTTestSource(port: broker.port, rate: 100)
        let count = 20_000
        try await testSource.listening { samples in
            try broker.publish(lines: Array(repeating: #"{"t": 1}"#, count: count), to: "home/t")
            #expect(try await samples.next(100).count == 100)
            try await testSource.until { $0.received == count }
        }
        let report = testSource.report
        #expect(report.accepted + report.dropped.excess == count)
        #expect(report.dropped.excess > count / 2)
    }

    @Test func `a broker is reconnected after a restart`() async throws {
        let testSource = try MQTTTestSource(port: broker.port)
        try await testSource.listening { samples in
            try broker.publish(#"{"t": 1}"#, to: "home/t")
            #expect(try await samples.next(1) == [1])
            broker.stop()
            try await testSource.until { $0.link == .disconnected }
            #expect(testSource.report.problem?.contains("ended the connection") == true)
            testSource.tryAgain()
            try await testSource.until { $0.problem?.contains("connection refused") == true }
            try broker.start()
            testSource.tryAgain()
            try await testSource.until { $0.link == .connected }
            try broker.publish(#"{"t": 2}"#, to: "home/t")
            #expect(try await samples.next(1) == [2])
        }
        #expect(testSource.report.connections == 2)
    }

    @Test func `a contact sensor reports whether it is open`() async throws {
        let testSource = try MQTTTestSource(
            port: broker.port,
            fields: #"""
                [{"name": "state", "kind": "state",
                  "states": {"LOW": "open", "HIGH": "closed"}}]
                """#, payload: #""format": "plain""#)
        try await testSource.listening { samples in
            try broker.publish(lines: ["HIGH", "LOW", "broken"], to: "home/t")
            let states = [
                try await samples.iterator.next()?.values,
                try await samples.iterator.next()?.values,
            ]
            #expect(states == [[.text("closed")], [.text("open")]])
            try await testSource.until { $0.dropped.malformed == 1 }
        }
    }

    @Test func `a cancelled source disconnects from the broker and closes everything`()
        async throws
    {
        let testSource = try MQTTTestSource(port: broker.port)
        try await testSource.listening { samples in
            try broker.publish(#"{"t": 1}"#, to: "home/t")
            _ = try await samples.next(1)
        }
        try await testSource.until { $0.link == .disconnected }
        let before = try Self.sockets(to: broker.port)
        #expect(before == 0)
    }

    /// The number of connections of this process to a port.
    private static func sockets(to port: Int) throws -> Int {
        let own = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            })
        let hex = String(port, radix: 16, uppercase: true)
        // String(contentsOfFile:) reads only the first page of such a file.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return table.split(separator: "\n")
            .map { $0.split(separator: " ") }
            .filter {
                $0.count > 9 && $0[2].hasSuffix(":\(hex)") && own.contains("socket:[\($0[9])]")
            }
            .count
    }
}
