import Crypto
public import Foundation
public import NIOSSL

/// A self-signed certificate, made with OpenSSL for one test.
public struct TestCertificate: Sendable {
    public let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey
    /// The certificate and its key in PEM.
    public let pem: (certificate: Data, key: Data)

    public struct Failure: Error {
        public let text: String
    }

    /// - Parameter names: its subject alternative names, such as `DNS:localhost` or `IP:127.0.0.1`.
    public init(names: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "certificate-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (keyFile, file) = (folder.appending(path: "key.pem"), folder.appending(path: "own.pem"))
        let code = try await Program(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-keyout", keyFile.path, "-out", file.path, "-days", "2", "-subj",
                "/CN=test", "-addext", "subjectAltName=\(names.joined(separator: ","))",
            ]
        ).wait()
        guard code == 0 else { throw Failure(text: "openssl exited with \(code)") }
        pem = (try Data(contentsOf: file), try Data(contentsOf: keyFile))
        certificate = try NIOSSLCertificate(bytes: Array(pem.certificate), format: .pem)
        key = try NIOSSLPrivateKey(bytes: Array(pem.key), format: .pem)
    }

    /// The pins of the certificate and of its key.
    public func pins() throws -> (certificate: String, key: String) {
        func pin(_ bytes: [UInt8]) -> String {
            "sha256/" + Data(SHA256.hash(data: bytes)).base64EncodedString()
        }
        return (
            pin(try certificate.toDERBytes()),
            pin(try certificate.extractPublicKey().toSPKIBytes())
        )
    }

    var serverConfiguration: TLSConfiguration {
        .makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
    }
}
