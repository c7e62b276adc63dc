import Foundation
import TestSupport
import Testing

/// A server with an untrusted certificate.
@Suite(.blocking)
struct UntrustedServerTests {
    @Test func `a certificate that is not trusted is refused`() throws {
        let sandbox = try Sandbox()
        let openssl = "/usr/bin/openssl"
        let (key, certificate) = (sandbox.path("key.pem"), sandbox.path("certificate.pem"))
        let made = try Invocation(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            ], environment: sandbox.environment)
        #expect(made.code == 0, "\(made.errors)")
        let server = try Program(
            openssl,
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", certificate],
            input: .pipe, output: .pipe)
        defer { server.end() }
        var port: Int?
        _ = try server.read { said in
            // Its output contains its port: `ACCEPT 127.0.0.1:40123`.
            let text = String(decoding: said, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
            if text.last == "\n" {
                port = line?.split(separator: ":").last.flatMap { Int($0) }
            }
            return port != nil
        }
        let url = "https://localhost:\(try #require(port))/app.zip"
        let install = try sandbox.nervous("install", url)
        #expect(install.code == 76, "\(install.errors)")
        #expect(install.errors.contains("certificate that this machine does not trust"))
        #expect(try sandbox.nervous("install", url, "--json").errors.contains("download-untrusted"))
        #expect(sandbox.installedFiles.isEmpty)
        // The same port without TLS is refused, too.
        let plain = try sandbox.nervous("install", url.replacing("https", with: "http"))
        #expect(plain.code == 76)
        #expect(sandbox.installedFiles.isEmpty)
    }
}
