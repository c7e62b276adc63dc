import TestSupport
import Testing

@testable import Egress

/// An untrusted certificate is accepted for one host only, by its pin.
struct CertificateTests {
    private static func fault(
        _ certificate: TestCertificate, at host: String = "localhost", pin: String? = nil,
        trusts: Bool = false
    ) async throws -> EgressError.Code? {
        try await LocalServer.with(certificate: certificate) { _ in
            .answer("in private")
        } _: {
            server in
            let origin = "https://\(host):\(server.port)"
            return try await TestClient.with(
                [origin], pins: pin.map { [origin: $0] } ?? [:],
                trust: trusts ? [certificate.certificate] : []
            ) { client async throws in
                let fault = try await client.fault("\(origin)/secret")
                // No request is sent before the server is verified.
                #expect(server.received.count == (fault == nil ? 1 : 0))
                return fault
            }
        }
    }

    @Test func `a trusted certificate is accepted`() async throws {
        let names = ["DNS:localhost", "IP:127.0.0.1"]
        let certificate = try await TestCertificate(names: names)
        #expect(try await Self.fault(certificate, trusts: true) == nil)
        #expect(try await Self.fault(certificate, at: "127.0.0.1", trusts: true) == nil)
    }

    @Test func `a self-signed certificate is rejected without a pin`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(certificate) == .untrusted)
    }

    @Test func `a trusted certificate for another name is rejected`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:other.example"])
        #expect(try await Self.fault(certificate, trusts: true) == .untrusted)
        let named = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(named, at: "127.0.0.1", trusts: true) == .untrusted)
    }

    @Test func `a pin accepts one certificate or key and no other`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:box.local"])
        let pins = try certificate.pins()
        #expect(try await Self.fault(certificate, pin: pins.certificate) == nil)
        #expect(try await Self.fault(certificate, pin: pins.key) == nil)
        let other = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(other, pin: pins.certificate) == .wrongCertificate)
        #expect(try await Self.fault(other, pin: pins.key) == .wrongCertificate)
        // A pin replaces the authorities: a certificate that they signed is rejected, too.
        #expect(try await Self.fault(other, pin: pins.key, trusts: true) == .wrongCertificate)
    }

    @Test func `the pin of one host does not apply to another`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost", "IP:127.0.0.1"])
        let pin = try certificate.pins().certificate
        try await LocalServer.with(certificate: certificate) { _ in
            .answer()
        } _: { server in
            let (pinned, other) = (
                "https://localhost:\(server.port)", "https://127.0.0.1:\(server.port)"
            )
            try await TestClient.with([pinned, other], pins: [pinned: pin]) { client async throws in
                #expect(try await client.fault(pinned) == nil)
                #expect(try await client.fault(other) == .untrusted)
                #expect(try await client.fault(pinned) == nil)
            }
        }
    }

    @Test func `a redirect to the pinned host requires its pin`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost"])
        let other = try await TestCertificate(names: ["DNS:localhost"])
        try await LocalServer.with(certificate: other) { _ in
            .answer()
        } _: { second in
            let place = "https://localhost:\(second.port)"
            try await LocalServer.with(certificate: certificate) { _ in
                .redirect(to: place)
            } _: { first in
                let origin = "https://localhost:\(first.port)"
                let (own, wrong) = (try certificate.pins().key, try other.pins().key)
                try await TestClient.with([origin, place], pins: [origin: own, place: own]) {
                    client async throws in
                    #expect(try await client.fault(origin) == .wrongCertificate)
                }
                try await TestClient.with([origin, place], pins: [origin: own, place: wrong]) {
                    client async throws in
                    #expect(try await client.fault(origin) == nil)
                }
            }
        }
    }

    @Test func `a server that does not speak TLS is not trusted`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "https://localhost:\(server.port)"
            try await TestClient.with([origin]) { client async throws in
                var client = client
                client.options.connecting = .milliseconds(300)
                let fault = try await client.fault(origin)
                #expect(fault == .untrusted || fault == .timedOut)
                #expect(server.received.isEmpty)
            }
        }
    }
}
