import Foundation
import Sealing
import TestSupport
import Testing

@testable import Connectors

/// Secrets that sources read.
@Suite(.blocking)
struct SourceSecretsTests {
    private let folder: TestFolder
    private let lock: OwnerLock
    private let store: SecretStore

    init() async throws {
        folder = try TestFolder()
        lock = OwnerLock(
            folder: folder.path, costs: Argon2idCosts(memory: 64, passes: 1, lanes: 1))
        try await lock.setUp(Passphrase("correct horse battery"), .init())
        store = SecretStore(folder: folder.path, lock: lock)
    }

    private func set(_ value: String, _ name: String, of source: String) throws {
        try store.set(
            value, try #require(SecretName(name)), of: .source(source), keptBy: .owner)
    }

    /// What a pack with a source of MQTT reads as its password.
    private func password(_ reference: String) throws -> String? {
        let pack = """
            {"id": "temperature.home", "title": "At home",
             "fields": [{"name": "temperature", "unit": "Cel"}], "payload": {"format": "json"},
             "source": {"kind": "mqtt", "host": "a", "topic": "t", "username": "me",
                        "passwordFile": "\(reference)"}}
            """
        _ = try SensorPack(
            Array(pack.utf8), budget: HostRateLimiter(), secrets: SourceSecrets(store))
        let secrets = SourceSecrets(store).of("temperature.home")
        return try MQTTBroker(
            host: "a", username: "me",
            password: MQTTBroker.Password(reference: reference, secrets: secrets)
        ).secret()
    }

    @Test func `a broker's password is read from the secret at each connection`() throws {
        try set("first", "broker", of: "temperature.home")
        #expect(try password("secret:broker") == "first")
        try set("second", "broker", of: "temperature.home")
        #expect(try password("secret:broker") == "second")
    }

    @Test func `a secret of another source is not found, and a locked one is named as locked`()
        throws
    {
        try set("first", "broker", of: "temperature.other")
        let missing = #expect(throws: ConnectorError.self) { try password("secret:broker") }
        #expect(missing?.message.contains("has no secret broker") == true)
        try set("first", "broker", of: "temperature.home")
        lock.lock()
        let locked = #expect(throws: ConnectorError.self) { try password("secret:broker") }
        #expect(locked?.message.contains("nervous unlock") == true)
        #expect(locked?.message.contains("first") == false)
    }

    @Test func `a polled server gets the secret in its header`() async throws {
        try await LocalServer.with { _ in
            .answer(#"{"temperature": 20.5}"#)
        } _: { server in
            try set("Bearer s3cr3t", "key", of: "temperature.home")
            let text = """
                {"id": "temperature.home", "title": "At home",
                 "fields": [{"name": "temperature", "unit": "Cel", "from": "$.temperature"}],
                 "source": {"kind": "http-poll", "url": "http://127.0.0.1:\(server.port)/",
                            "every": "1s", "headerSecrets": {"Authorization": "key"}}}
                """
            let pack = try SensorPack(
                Array(text.utf8), budget: HostRateLimiter(), secrets: SourceSecrets(store))
            #expect(!pack.connector.sourceName.contains("s3cr3t"))
            let reading = Task {
                for try await _ in pack.source.samples() { return true }
                return false
            }
            #expect(try await reading.value)
            #expect(server.received.first?["authorization"] == "Bearer s3cr3t")
        }
    }

    @Test(arguments: [
        #""headerSecrets": {"Host": "key"}"#, #""headerSecrets": {"X-Key": "KEY"}"#,
        #""headerSecrets": {"X-Key": "key"}, "headers": {"x-key": "plain"}"#,
    ])
    func `an invalid use of a secret in a header is refused`(members: String) {
        let text = """
            {"id": "temperature.home", "title": "At home",
             "fields": [{"name": "temperature", "unit": "Cel", "from": "$.temperature"}],
             "source": {"kind": "http-poll", "url": "http://a/", "every": "1s", \(members)}}
            """
        let error = #expect(throws: PackError.self) { _ = try SensorPack(Array(text.utf8)) }
        #expect(error?.message.contains("headerSecrets") == true)
    }
}
