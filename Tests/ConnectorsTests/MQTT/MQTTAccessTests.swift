import Foundation
import TestSupport
import Testing
import VM

@testable import Connectors

/// Authentication, certificates and error messages.
@Suite(.blocking, .enabled(if: TestBroker.isInstalled), .timeLimit(.minutes(10)))
struct MQTTAccessTests {
    private static let user = (name: "nervous", password: "correct horse")

    @Test func `a password in the pack or in a file is accepted`() async throws {
        let broker = try TestBroker(user: Self.user)
        try broker.start()
        let file = broker.folder.appending(path: "password").path(percentEncoded: false)
        try Data("correct horse\n".utf8).write(to: URL(filePath: file))
        for key in [#""password": "correct horse""#, #""passwordFile": "\#(file)""#] {
            let testSource = try MQTTTestSource(
                port: broker.port, source: #""topic": "home/t", "username": "nervous", \#(key)"#)
            try await testSource.listening { samples in
                try broker.publish(#"{"t": 1}"#, to: "home/t")
                #expect(try await samples.next(1) == [1])
            }
        }
    }

    @Test(arguments: [
        (#", "username": "nervous", "password": "wrong""#, "denied access to nervous"),
        (#", "username": "nobody", "password": "correct horse""#, "denied access to nobody"),
        (#", "username": "nervous""#, "denied access to nervous"),
        ("", "requires authentication"),
        (#", "username": "nervous", "passwordFile": "/nowhere""#, "/nowhere: No such file"),
        (
            #", "username": "nervous", "passwordFile": "/dev/null""#,
            "/dev/null: it does not contain one line"
        ),
        (
            #", "username": "nervous", "passwordFile": "secret:broker""#,
            "The secret broker is not available here"
        ),
    ])
    func `a denied login is reported with the reason`(login: String, words: String) async throws {
        let broker = try TestBroker(user: Self.user)
        try broker.start()
        let testSource = try MQTTTestSource(
            port: broker.port, source: #""topic": "home/t"\#(login)"#)
        try await expect(testSource, toReport: words)
        #expect(testSource.report.problem?.contains("horse") == false)
    }

    @Test func `a denied subscription is reported`() async throws {
        // Accepts the connection (CONNACK 0) and refuses the first subscription (SUBACK 0x80).
        let broker = try OneShotServer("\u{20}\u{2}\0\0\u{90}\u{3}\0\u{1}\u{80}")
        let testSource = try MQTTTestSource(port: broker.number)
        try await expect(testSource, toReport: "denied the subscription to home/t")
    }

    @Test func `a certificate of the configured authority is trusted`() async throws {
        let broker = try TestBroker(
            user: Self.user, certificate: await TestCertificate(names: ["IP:127.0.0.1"]))
        try broker.start()
        let testSource = try MQTTTestSource(
            port: broker.port,
            source: #"""
                "topic": "home/t", "tls": true, "ca": "\#(broker.authority ?? "")",
                "username": "nervous", "password": "correct horse"
                """#)
        try await testSource.listening { samples in
            let lines = (1...2000).map { #"{"t": \#($0)}"# }
            try broker.publish(lines: lines, to: "home/t")
            #expect(try await samples.next(2000) == (1...2000).map { Double($0) })
        }
    }

    @Test func `a certificate of an unknown authority is not trusted`() async throws {
        let broker = try TestBroker(certificate: await TestCertificate(names: ["IP:127.0.0.1"]))
        try broker.start()
        let testSource = try MQTTTestSource(
            port: broker.port, source: #""topic": "home/t", "tls": true"#)
        try await expect(testSource, toReport: "is not trusted.")
    }

    @Test func `a certificate for another name is not trusted`() async throws {
        let broker = try TestBroker(
            certificate: await TestCertificate(names: ["DNS:other.example"]))
        try broker.start()
        let testSource = try MQTTTestSource(
            port: broker.port,
            source: #""topic": "home/t", "tls": true, "ca": "\#(broker.authority ?? "")""#)
        try await expect(testSource, toReport: "is for another name")
    }

    @Test func `TLS at a plain port and plain text at a TLS port have different errors`()
        async throws
    {
        let plain = try TestBroker()
        try plain.start()
        let encrypted = try MQTTTestSource(
            port: plain.port, source: #""topic": "home/t", "tls": true"#)
        try await expect(encrypted, toReport: "whether it supports tls")
        let broker = try TestBroker(certificate: await TestCertificate(names: ["IP:127.0.0.1"]))
        try broker.start()
        let unencrypted = try MQTTTestSource(port: broker.port)
        try await expect(unencrypted, toReport: "whether it requires tls")
    }

    @Test func `a refused connection is reported`() async throws {
        let closedPort = ClosedPort()
        let testSource = try MQTTTestSource(port: closedPort.number)
        try await expect(testSource, toReport: "cannot be reached: connection refused")
        withExtendedLifetime(closedPort) {}
    }

    @Test func `an unknown host name is reported`() async throws {
        let testSource = try MQTTTestSource(port: 1883, host: "no-such-host.invalid")
        try await expect(testSource, toReport: "Host no-such-host.invalid not found")
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "\u{20}\u{2}\u{0}", "\0\0\0\0", "\u{90}\u{FF}",
    ])
    func `a server that is not a broker is reported`(answer: String) async throws {
        let server = try OneShotServer(answer)
        let testSource = try MQTTTestSource(port: server.number)
        try await testSource.listening(untilConnected: false) { _ in
            try await testSource.until { $0.link == .disconnected }
        }
        #expect(testSource.report.problem?.contains("127.0.0.1") == true)
        #expect(testSource.report.connections == 0)
    }

    @Test func `a connection to a silent server ends at once when cancelled`() async throws {
        let server = try OneShotServer("")
        let testSource = try MQTTTestSource(port: server.number)
        let end = try await testSource.listening(untilConnected: false) { _ in
            try await testSource.until { $0.link == .connecting }
            server.waitForClient()
            return ContinuousClock.now
        }
        try await testSource.until { $0.link == .disconnected }
        // The connection's own time limit is longer.
        #expect(ContinuousClock.now - end < .seconds(10))
    }

    @Test(arguments: [
        (#""topic": "a/#/b""#, "topic"), (#""topic": "a+""#, "topic"),
        (#""topic": "a", "qos": 3"#, "qos"), (#""topic": "a", "insecure": true"#, "insecure"),
        (#""topic": "a", "ca": "/a.pem""#, "ca"), (#""qos": 1"#, "topic"),
        (#""topic": "a", "tls": true, "ca": "a.pem""#, "ca"),
        (#""topic": "a", "password": "x""#, "username"),
        (#""topic": "a", "username": "a", "password": "x", "passwordFile": "/x""#, "passwordFile"),
        (#""topic": "a", "username": "a", "passwordFile": "x""#, "passwordFile"),
        (#""topic": "a", "username": "a", "passwordFile": "secret:A""#, "passwordFile"),
        (#""topic": "a", "passwordFile": "secret:a""#, "username"),
        (#""topic": "a", "tls": 1"#, "tls"),
    ])
    func `an invalid pack is rejected with the key`(source: String, key: String) {
        let error = #expect(throws: PackError.self) {
            _ = try MQTTTestSource.pack(port: 1883, source: source)
        }
        #expect(error?.message.contains(key) == true)
    }

    @Test func `the default port depends on TLS`() {
        #expect("\(MQTTBroker(host: "a"))" == "mqtt://a:1883")
        #expect("\(MQTTBroker(host: "::1", trust: .system))" == "mqtts://[::1]:8883")
    }

    private func expect(_ testSource: MQTTTestSource, toReport words: String) async throws {
        try await testSource.listening(untilConnected: false) { _ in
            try await testSource.until { $0.link == .disconnected }
        }
        let problem = testSource.report.problem ?? ""
        #expect(problem.contains(words), "\(problem)")
        #expect(testSource.report.connections == 0)
    }
}
