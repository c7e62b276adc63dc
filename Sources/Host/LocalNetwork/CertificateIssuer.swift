import Addresses
import Auth
import Crypto
import Foundation
import SwiftASN1
import X509

/// Issues the two certificates of the listener for the local network.
///
/// Phones install the first, an authority of this host alone. It may only vouch for names below `.local`
/// and addresses in private networks, so a stolen key cannot be used to impersonate anything else.
struct CertificateIssuer {
    /// The longest that phones accept for a server's certificate is 825 days.
    static let serverDays = 820
    /// A server's certificate is renewed when it has less left than this.
    static let renewalDays = 420
    private static let authorityDays = 20 * 365
    /// The clock of a phone may be behind.
    private static let toleratedDays = 1

    let now: Date

    /// Whether an address is in a private network, so that every authority may vouch for it.
    static func isPrivate(_ address: IPAddress) -> Bool {
        AddressBlock.privateNetworks.contains { $0.contains(AddressBlock(address)) }
    }

    /// A certificate of an authority, signed by its own key.
    ///
    /// - Parameters:
    ///   - machine: the name of this machine, for display.
    ///   - addresses: addresses outside private networks that it may vouch for, too.
    func authority(
        key: P256.Signing.PrivateKey, machine: String, addresses: [IPAddress]
    ) throws -> Certificate {
        let issuer = Certificate.PrivateKey(key)
        // Names of authorities must differ, also on machines of the same name; that of a key stays.
        let suffix = Fingerprint.sha256(Array(key.publicKey.derRepresentation)).prefix(8)
        let name = try DistinguishedName {
            // At most 64 characters (RFC 5280, appendix A.1).
            CommonName("Nervous on \(machine.prefix(40)) \(suffix)")
        }
        let ranges = AddressBlock.privateNetworks + addresses.map { AddressBlock($0) }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: issuer.publicKey,
            notValidBefore: day(-Self.toleratedDays), notValidAfter: day(Self.authorityDays),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                Critical(
                    NameConstraints(
                        permittedDNSDomains: ["local"],
                        permittedIPRanges: ranges.map {
                            ASN1OctetString(contentBytes: $0.bytes[...])
                        }))
                SubjectKeyIdentifier(hash: issuer.publicKey)
            }, issuerPrivateKey: issuer)
    }

    /// A certificate of the server.
    ///
    /// - Parameters:
    ///   - authority: the certificate of the authority, and its key.
    ///   - names: the names of this machine, below `.local`.
    func server(
        key: P256.Signing.PublicKey,
        signedBy authority: (certificate: Certificate, key: P256.Signing.PrivateKey),
        names: [String], addresses: [IPAddress]
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key)
        let issuer = Certificate.PrivateKey(authority.key)
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: day(-Self.toleratedDays), notValidAfter: day(Self.serverDays),
            issuer: authority.certificate.subject,
            subject: try DistinguishedName { CommonName("nervous") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.names(names, addresses))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: issuer.publicKey).keyIdentifier)
            }, issuerPrivateKey: issuer)
    }

    /// Whether a certificate of an authority can be kept.
    func isCurrent(
        _ authority: Certificate, key: P256.Signing.PrivateKey, addresses: [IPAddress]
    ) -> Bool {
        let permitted = (try? authority.extensions.nameConstraints)??.permittedSubtrees ?? []
        return authority.publicKey == Certificate.PrivateKey(key).publicKey
            && authority.notValidAfter > day(Self.serverDays)
            && addresses.allSatisfy {
                permitted.contains(
                    .ipAddress(ASN1OctetString(contentBytes: AddressBlock($0).bytes[...])))
            }
    }

    /// Whether a certificate of the server can be kept.
    func isCurrent(
        _ server: Certificate, key: P256.Signing.PublicKey, authority: Certificate,
        names: [String], addresses: [IPAddress]
    ) -> Bool {
        let present = (try? server.extensions.subjectAlternativeNames).flatMap { $0 }.map {
            Set($0)
        }
        return server.publicKey == Certificate.PublicKey(key)
            && server.notValidAfter > day(Self.renewalDays) && server.notValidBefore <= now
            && server.issuer == authority.subject
            && authority.publicKey.isValidSignature(server.signature, for: server)
            && present == Set(Self.names(names, addresses))
    }

    private func day(_ days: Int) -> Date { now.addingTimeInterval(Double(days) * 86_400) }

    private static func names(_ names: [String], _ addresses: [IPAddress]) -> [GeneralName] {
        names.map { .dnsName($0) }
            + addresses.map {
                .ipAddress(ASN1OctetString(contentBytes: AddressBlock($0).addressBytes[...]))
            }
    }
}

/// A range of addresses, as certificates encode it (RFC 5280, section 4.2.1.10).
private struct AddressBlock {
    /// The first address.
    let addressBytes: [UInt8]
    private let mask: [UInt8]

    /// The address and the mask.
    var bytes: [UInt8] { addressBytes + mask }

    /// Private, link-local and loopback addresses: RFC 1918, 3927 and 4193.
    static let privateNetworks = [
        AddressBlock([10], 8), AddressBlock([172, 16], 12), AddressBlock([192, 168], 16),
        AddressBlock([169, 254], 16), AddressBlock([127], 8),
        AddressBlock([0xFC], 7, size: 16), AddressBlock([0xFE, 0x80], 10, size: 16),
        AddressBlock([UInt8](repeating: 0, count: 15) + [1], 128, size: 16),
    ]

    func contains(_ other: AddressBlock) -> Bool {
        addressBytes.count == other.addressBytes.count
            && addressBytes.indices.allSatisfy {
                (addressBytes[$0] ^ other.addressBytes[$0]) & mask[$0] == 0
            }
    }

    /// One address.
    init(_ address: IPAddress) {
        switch address {
        case .v4(let bits): addressBytes = withUnsafeBytes(of: bits.bigEndian) { Array($0) }
        case .v6(let bits): addressBytes = withUnsafeBytes(of: bits.bigEndian) { Array($0) }
        }
        mask = [UInt8](repeating: 0xFF, count: addressBytes.count)
    }

    /// - Parameter length: the number of bits that all addresses have in common.
    private init(_ start: [UInt8], _ length: Int, size: Int = 4) {
        addressBytes = start + [UInt8](repeating: 0, count: size - start.count)
        mask = (0..<size).map { index in
            let bits = min(8, max(0, length - index * 8))
            return UInt8(truncatingIfNeeded: 0xFF00 >> bits)
        }
    }
}
