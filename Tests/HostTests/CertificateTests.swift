import Addresses
import Crypto
import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import Host

/// What the certificates for the local network contain, and which are kept.
@Suite(.blocking)
struct CertificateTests {
    private let now = Date()

    private func addresses(_ texts: [String]) throws -> [IPAddress] {
        try texts.map { try #require(IPAddress($0)) }
    }

    private func openssl(_ arguments: String..., input: String) throws -> String {
        let program = try Program(
            "/usr/bin/openssl", arguments, input: .text(input), output: .pipe)
        let output = try program.readToEnd()
        #expect(try program.wait() == 0)
        return String(decoding: output, as: UTF8.self)
    }

    // MARK: - Contents

    /// The extensions that OpenSSL prints, one in a line, without names of keys.
    private func extensions(_ certificate: Certificate) throws -> [String] {
        let text = try openssl(
            "x509", "-noout", "-text", "-certopt", "no_header,no_serial,no_pubkey,no_sigdump",
            input: certificate.pem)
        var lines: [String] = []
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("X509v3 "), !line.hasPrefix("X509v3 extensions") {
                lines.append(String(line.dropFirst("X509v3 ".count)))
            } else if !lines.isEmpty {
                lines[lines.endIndex - 1] += " " + line
            }
        }
        return lines
    }

    /// The identifier of a key (RFC 5280, section 4.2.1.2) as OpenSSL prints it.
    private func identifier(_ key: P256.Signing.PublicKey) -> String {
        Insecure.SHA1.hash(data: key.x963Representation)
            .map { String(format: "%02X", $0) }.joined(separator: ":")
    }

    @Test func `the authority may only vouch for private networks and names below local`() throws {
        let key = P256.Signing.PrivateKey()
        let authority = try CertificateIssuer(now: now).authority(
            key: key, machine: "here", addresses: try addresses(["203.0.114.9", "2a00:1450::5"]))
        #expect(
            try extensions(authority) == [
                "Basic Constraints: critical CA:TRUE, pathlen:0",
                "Key Usage: critical Certificate Sign",
                "Name Constraints: critical Permitted: DNS:local IP:10.0.0.0/255.0.0.0"
                    + " IP:172.16.0.0/255.240.0.0 IP:192.168.0.0/255.255.0.0"
                    + " IP:169.254.0.0/255.255.0.0 IP:127.0.0.0/255.0.0.0"
                    + " IP:FC00:0:0:0:0:0:0:0/FE00:0:0:0:0:0:0:0"
                    + " IP:FE80:0:0:0:0:0:0:0/FFC0:0:0:0:0:0:0:0"
                    + " IP:0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF"
                    + " IP:203.0.114.9/255.255.255.255"
                    + " IP:2A00:1450:0:0:0:0:0:5/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF",
                "Subject Key Identifier: \(identifier(key.publicKey))",
            ])
    }

    @Test func `the server's certificate is for a server and its names only`() throws {
        let (key, server) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey().publicKey)
        let issuer = CertificateIssuer(now: now)
        let authority = try issuer.authority(key: key, machine: "here", addresses: [])
        let certificate = try issuer.server(
            key: server, signedBy: (authority, key), names: ["here.local"],
            addresses: try addresses(["192.168.1.7", "fd12::7"]))
        #expect(
            try extensions(certificate) == [
                "Basic Constraints: critical CA:FALSE",
                "Key Usage: critical Digital Signature",
                "Extended Key Usage: TLS Web Server Authentication",
                "Subject Alternative Name: DNS:here.local, IP Address:192.168.1.7,"
                    + " IP Address:FD12:0:0:0:0:0:0:7",
                "Subject Key Identifier: \(identifier(server))",
                "Authority Key Identifier: \(identifier(key.publicKey))",
            ])
    }

    @Test func `each certificate has another serial number, which is positive`() throws {
        let key = P256.Signing.PrivateKey()
        let serials = try (0..<20).map { _ in
            let certificate = try CertificateIssuer(now: now).authority(
                key: key, machine: "here", addresses: [])
            return try openssl("x509", "-noout", "-serial", input: certificate.pem)
        }
        #expect(Set(serials).count == serials.count)
        for serial in serials {
            // 20 bytes, the most that RFC 5280 allows, whose first bit is the sign.
            #expect(serial.wholeMatch(of: /serial=[4-7][0-9A-F]{39}\n/) != nil, "\(serial)")
        }
    }

    @Test(arguments: ["", "here", "hé", String(repeating: "👩‍👩‍👧", count: 50)])
    func `a machine of any name has an authority`(machine: String) throws {
        let key = P256.Signing.PrivateKey()
        let authority = try CertificateIssuer(now: now).authority(
            key: key, machine: machine, addresses: [])
        let name = try openssl(
            "x509", "-noout", "-subject", "-nameopt", "utf8", input: authority.pem)
        let shown = String(machine.unicodeScalars.prefix(40))
        #expect(name.hasPrefix("subject=CN=Nervous on \(shown) "), "\(name)")
    }

    @Test(arguments: [
        "", "damaged", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    ])
    func `a damaged certificate is an error that names the cause`(text: String) {
        let error = #expect(throws: Certificate.Failure.self) { try Certificate(pem: text) }
        #expect(error?.description.hasPrefix("error:") == true)
    }

    // MARK: - Certificates of an earlier version

    /// Certificates that an earlier version made with swift-certificates, their keys, and the time.
    private struct Earlier {
        let authority: Certificate
        let server: Certificate
        let authorityKey: P256.Signing.PublicKey
        let serverKey: P256.Signing.PublicKey
        /// On the day when they were issued.
        let issuer = CertificateIssuer(now: Date(timeIntervalSince1970: 1_795_400_000))

        init() throws {
            authority = try Certificate(pem: earlierAuthority)
            server = try Certificate(pem: earlierServer)
            authorityKey = try Self.key(earlierAuthority)
            serverKey = try Self.key(earlierServer)
        }

        /// The key in a certificate, as another library reads it.
        private static func key(_ pem: String) throws -> P256.Signing.PublicKey {
            let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
            return try P256.Signing.PublicKey(
                derRepresentation: try certificate.extractPublicKey().toSPKIBytes())
        }
    }

    @Test func `certificates of an earlier version are kept`() throws {
        let earlier = try Earlier()
        #expect(earlier.server.pem == earlierServer + "\n")
        #expect(
            try earlier.issuer.isCurrent(
                earlier.authority, key: earlier.authorityKey,
                addresses: try addresses(["203.0.114.9"])))
        #expect(
            try earlier.issuer.isCurrent(
                earlier.server, key: earlier.serverKey, authority: earlier.authority,
                names: ["here.local"],
                addresses: try addresses(["203.0.114.9", "fd12::7", "192.168.1.7"])))
    }

    @Test func `an authority with another key or without an address is not kept`() throws {
        let earlier = try Earlier()
        #expect(
            try !earlier.issuer.isCurrent(earlier.authority, key: earlier.serverKey, addresses: []))
        #expect(
            try !earlier.issuer.isCurrent(
                earlier.authority, key: earlier.authorityKey,
                addresses: try addresses(["203.0.114.9", "203.0.114.8"])))
    }

    @Test(arguments: [
        (["here.local"], ["192.168.1.7", "fd12::7"]),
        (["here.local"], ["192.168.1.7", "fd12::7", "203.0.114.9", "192.168.1.8"]),
        (["there.local"], ["192.168.1.7", "fd12::7", "203.0.114.9"]),
        ([], ["192.168.1.7", "fd12::7", "203.0.114.9"]),
    ])
    func `a server with other names is not kept`(names: [String], texts: [String]) throws {
        let earlier = try Earlier()
        #expect(
            try !earlier.issuer.isCurrent(
                earlier.server, key: earlier.serverKey, authority: earlier.authority, names: names,
                addresses: try addresses(texts)))
    }

    @Test func `a server of another authority, key or time is not kept`() throws {
        let earlier = try Earlier()
        let all = try addresses(["192.168.1.7", "fd12::7", "203.0.114.9"])
        func isKept(
            _ server: Certificate? = nil, key: P256.Signing.PublicKey? = nil, after days: Double = 0
        ) throws -> Bool {
            let now = earlier.issuer.now.addingTimeInterval(days * 86_400)
            return try CertificateIssuer(now: now).isCurrent(
                server ?? earlier.server, key: key ?? earlier.serverKey,
                authority: earlier.authority, names: ["here.local"], addresses: all)
        }
        #expect(try isKept())
        #expect(try !isKept(key: earlier.authorityKey))
        #expect(try !isKept(after: 410))
        #expect(try !isKept(after: -10))
        // The same issuer by name, whose key is another.
        let forged = try earlier.issuer.server(
            key: earlier.serverKey, signedBy: (earlier.authority, P256.Signing.PrivateKey()),
            names: ["here.local"], addresses: all)
        #expect(try !isKept(forged))
    }
}

private let earlierAuthority = """
    -----BEGIN CERTIFICATE-----
    MIICYjCCAgmgAwIBAgIVALo1IehHCccjd0M85zr07jMV1dLeMAoGCCqGSM49BAMC
    MCMxITAfBgNVBAMMGE5lcnZvdXMgb24gaGVyZSBlOGJhNWRmNzAeFw0yNjExMjIw
    NDMwMjhaFw00NjExMTgwNDMwMjhaMCMxITAfBgNVBAMMGE5lcnZvdXMgb24gaGVy
    ZSBlOGJhNWRmNzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDyAe4yEsSmXJUew
    PB1NzOYeCbICLCXAvpmuqk32tg86eta63oAkPiHd1kqroXDtqh4GFsap6Dj0VjiZ
    /tpYLzajggEYMIIBFDASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIC
    BDCBzgYDVR0eAQH/BIHDMIHAoIG9MAeCBWxvY2FsMAqHCAoAAAD/AAAAMAqHCKwQ
    AAD/8AAAMAqHCMCoAAD//wAAMAqHCKn+AAD//wAAMAqHCH8AAAD/AAAAMCKHIPwA
    AAAAAAAAAAAAAAAAAAD+AAAAAAAAAAAAAAAAAAAAMCKHIP6AAAAAAAAAAAAAAAAA
    AAD/wAAAAAAAAAAAAAAAAAAAMCKHIAAAAAAAAAAAAAAAAAAAAAH/////////////
    ////////MAqHCMsAcgn/////MB0GA1UdDgQWBBSLjG5chDiyWYJ0J+RPqu5DpSPr
    ZDAKBggqhkjOPQQDAgNHADBEAiAiLru5bSNMMDjCyqDrG35WJrVaQHB2+7iymgUO
    WW+K9AIgGvwhqQXHOXoeBy7ydQZ1gDhtw15TZxFk9tIkAA80CA8=
    -----END CERTIFICATE-----
    """

private let earlierServer = """
    -----BEGIN CERTIFICATE-----
    MIIB5TCCAYqgAwIBAgIVALfXm8KoYXaYD0+TyeIUYVNehU+hMAoGCCqGSM49BAMC
    MCMxITAfBgNVBAMMGE5lcnZvdXMgb24gaGVyZSBlOGJhNWRmNzAeFw0yNjExMjIw
    NDMwMjhaFw0yOTAyMjAwNDMwMjhaMBIxEDAOBgNVBAMMB25lcnZvdXMwWTATBgcq
    hkjOPQIBBggqhkjOPQMBBwNCAARaLis2p3zYLmDtkVLcLPT8mQZdAqdc9iqajXzW
    r7QoBgVU0YFUD9XiAh36mCKjB5cU+1+3DQzrBP6TVT5v01HEo4GrMIGoMAwGA1Ud
    EwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMDMG
    A1UdEQQsMCqCCmhlcmUubG9jYWyHBMCoAQeHEP0SAAAAAAAAAAAAAAAAAAeHBMsA
    cgkwHQYDVR0OBBYEFAZGmYs+KdYdLz8JjCIeM/0/nPeOMB8GA1UdIwQYMBaAFIuM
    blyEOLJZgnQn5E+q7kOlI+tkMAoGCCqGSM49BAMCA0kAMEYCIQCR643JWIZSg57K
    x0oIh+Vry3raSjCsif3QDUSR/KWW0AIhAPk9nERHLtEFEQftMtYDdYx5cM+9Y+Cg
    1kN3kvU4Zkym
    -----END CERTIFICATE-----
    """
