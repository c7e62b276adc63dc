import TestSupport
import Testing

@testable import Egress

/// C36: an untrusted certificate is accepted for one host only, by its pin.
struct TrustTests {
    private static func fault(
        _ certificate: TestCertificate, at host: String = "localhost", pin: String? = nil,
        trusts: Bool = false
    ) async throws -> EgressError.Code? {
        try await LocalServer.with(certificate: certificate) { _ in
            .answer("in private")
        } _: {
            server in
            let origin = "https://\(host):\(server.port)"
            return try await Bench.with(
                [origin], pins: pin.map { [origin: $0] } ?? [:],
                trust: trusts ? [certificate.certificate] : []
            ) { bench async throws in
                let fault = try await bench.fault("\(origin)/secret")
                // Nothing is said before the other side has shown who it is.
                #expect(server.received.count == (fault == nil ? 1 : 0))
                return fault
            }
        }
    }

    @Test func `C36 - a trusted certificate is accepted`() async throws {
        let names = ["DNS:localhost", "IP:127.0.0.1"]
        let certificate = try await TestCertificate(names: names)
        #expect(try await Self.fault(certificate, trusts: true) == nil)
        #expect(try await Self.fault(certificate, at: "127.0.0.1", trusts: true) == nil)
    }

    @Test func `C36 - a self-signed certificate is rejected without a pin`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(certificate) == .untrusted)
    }

    @Test func `C36 - a trusted certificate for another name is rejected`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:other.example"])
        #expect(try await Self.fault(certificate, trusts: true) == .untrusted)
        let named = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(named, at: "127.0.0.1", trusts: true) == .untrusted)
    }

    @Test func `C36 - a pin accepts one certificate or key and no other`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:box.local"])
        let pins = try certificate.pins()
        #expect(try await Self.fault(certificate, pin: pins.certificate) == nil)
        #expect(try await Self.fault(certificate, pin: pins.key) == nil)
        let other = try await TestCertificate(names: ["DNS:localhost"])
        #expect(try await Self.fault(other, pin: pins.certificate) == .wrongCertificate)
        #expect(try await Self.fault(other, pin: pins.key) == .wrongCertificate)
        // A pin is stricter than the authorities: what they vouch for is refused, too.
        #expect(try await Self.fault(other, pin: pins.key, trusts: true) == .wrongCertificate)
    }

    @Test func `C36 - the pin of one host does not apply to another`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:localhost", "IP:127.0.0.1"])
        let pin = try certificate.pins().certificate
        try await LocalServer.with(certificate: certificate) { _ in
            .answer()
        } _: { server in
            let (pinned, other) = (
                "https://localhost:\(server.port)", "https://127.0.0.1:\(server.port)"
            )
            try await Bench.with([pinned, other], pins: [pinned: pin]) { bench async throws in
                #expect(try await bench.fault(pinned) == nil)
                #expect(try await bench.fault(other) == .untrusted)
                #expect(try await bench.fault(pinned) == nil)
            }
        }
    }

    @Test func `C36 - a redirect to the pinned host requires its pin`() async throws {
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
                try await Bench.with([origin, place], pins: [origin: own, place: own]) {
                    bench async throws in
                    #expect(try await bench.fault(origin) == .wrongCertificate)
                }
                try await Bench.with([origin, place], pins: [origin: own, place: wrong]) {
                    bench async throws in
                    #expect(try await bench.fault(origin) == nil)
                }
            }
        }
    }

    @Test func `a server that does not speak TLS is not trusted`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "https://localhost:\(server.port)"
            try await Bench.with([origin]) { bench async throws in
                var bench = bench
                bench.options.connecting = .milliseconds(300)
                let fault = try await bench.fault(origin)
                #expect(fault == .untrusted || fault == .timedOut)
                #expect(server.received.isEmpty)
            }
        }
    }
}
