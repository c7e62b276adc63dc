import Addresses
import Auth
import Crypto
import Foundation

/// Issues the two certificates of the listener for the local network.
///
/// Phones install the first, an authority of this host alone. It may only vouch for names below `.local`
/// and addresses in private networks, so a stolen key cannot be used to impersonate anything else.
struct CertificateIssuer {
    /// How long a server's certificate is valid; phones accept at most 825 days.
    static let serverDays = 820
    /// A server's certificate is renewed when it is valid for fewer days than this.
    static let renewalDays = 420
    private static let authorityDays = 20 * 365
    /// A certificate is valid from this many days ago on, because the clock of a phone may be behind.
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
        // Authorities must have different names, even on machines of the same name, and an authority must
        // have the same name for as long as it has the same key.
        let suffix = Fingerprint.sha256(Array(key.publicKey.derRepresentation)).prefix(8)
        // A name has at most 64 characters of Unicode (RFC 5280, appendix A.1).
        let machine = String(machine.unicodeScalars.prefix(40))
        let ranges = AddressBlock.privateNetworks + addresses.map { AddressBlock($0) }
        return try Certificate(
            authority: key, name: "Nervous on \(machine) \(suffix)",
            from: day(-Self.toleratedDays), until: day(Self.authorityDays),
            permitted: [.domain("local")] + ranges.map { .address($0.bytes) })
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
        try Certificate(
            server: key, name: "nervous", from: day(-Self.toleratedDays),
            until: day(Self.serverDays), names: Self.names(names, addresses), signedBy: authority)
    }

    /// Whether a certificate of an authority can be kept.
    func isCurrent(
        _ authority: Certificate, key: P256.Signing.PublicKey, addresses: [IPAddress]
    ) throws -> Bool {
        try authority.hasKey(key) && authority.notValidAfter > day(Self.serverDays)
            && authority.permits(addresses.map { .address(AddressBlock($0).bytes) })
    }

    /// Whether a certificate of the server can be kept.
    func isCurrent(
        _ server: Certificate, key: P256.Signing.PublicKey, authority: Certificate,
        names: [String], addresses: [IPAddress]
    ) throws -> Bool {
        try server.hasKey(key) && server.notValidAfter > day(Self.renewalDays)
            && server.notValidBefore <= now && server.isSigned(by: authority)
            && server.hasNames(Self.names(names, addresses))
    }

    private func day(_ days: Int) -> Date { now.addingTimeInterval(Double(days) * 86_400) }

    private static func names(
        _ names: [String], _ addresses: [IPAddress]
    ) -> [Certificate.Name] {
        names.map { .domain($0) } + addresses.map { .address(AddressBlock($0).addressBytes) }
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
