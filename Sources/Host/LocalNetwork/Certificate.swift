import CCertificates
import Crypto
import Foundation

/// An X.509 certificate of an authority or of a server, which OpenSSL reads and issues.
final class Certificate {
    /// Why a certificate cannot be read or issued, in OpenSSL's words.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        /// The last failure in this thread.
        fileprivate init() {
            var text = [CChar](repeating: 0, count: 256)
            nervous_certificate_error(&text, text.count)
            description = String(
                decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// What a certificate is for, or what an authority may vouch for.
    enum Name {
        case domain(String)
        /// An address in network order, in constraints followed by its mask.
        case address([UInt8])
    }

    /// The certificate in PEM, with a newline at its end.
    let pem: String
    let notValidBefore: Date
    let notValidAfter: Date
    private let handle: OpaquePointer

    deinit { nervous_certificate_free(handle) }

    /// Reads the first certificate in a text.
    convenience init(pem: String) throws(Failure) {
        try self.init(nervous_certificate_read(pem))
    }

    /// Issues a certificate of an authority, signed by its own key.
    ///
    /// It may sign certificates of servers and of no other authority.
    ///
    /// - Parameters:
    ///   - name: the common name, of at most 64 characters.
    ///   - permitted: what it may vouch for: domains, including all names below them, and ranges of
    ///     addresses.
    convenience init(
        authority key: P256.Signing.PrivateKey, name: String, from start: Date, until end: Date,
        permitted: [Name]
    ) throws(Failure) {
        let key = Array(key.derRepresentation)
        try self.init(
            try Self.withList(permitted) {
                nervous_certificate_issue_authority(
                    key, key.count, name, nervous_validity(from: start, until: end), $0)
            })
    }

    /// Issues a certificate of a server.
    convenience init(
        server key: P256.Signing.PublicKey, name: String, from start: Date, until end: Date,
        names: [Name], signedBy authority: (certificate: Certificate, key: P256.Signing.PrivateKey)
    ) throws(Failure) {
        let key = Array(key.derRepresentation)
        let authorityKey = Array(authority.key.derRepresentation)
        try self.init(
            try Self.withList(names) {
                nervous_certificate_issue_server(
                    key, key.count, name, nervous_validity(from: start, until: end), $0,
                    authority.certificate.handle, authorityKey, authorityKey.count)
            })
    }

    /// Owns the certificate at a pointer; `nil` after a failure.
    private init(_ handle: OpaquePointer?) throws(Failure) {
        guard let handle else { throw Failure() }
        var validity = nervous_validity()
        guard nervous_certificate_get_validity(handle, &validity),
            let text = nervous_certificate_pem(handle)
        else {
            nervous_certificate_free(handle)
            throw Failure()
        }
        pem = String(cString: text)
        free(text)
        notValidBefore = Date(timeIntervalSince1970: Double(validity.not_before))
        notValidAfter = Date(timeIntervalSince1970: Double(validity.not_after))
        self.handle = handle
    }

    /// The SHA-256 of the certificate.
    func sha256() throws(Failure) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard nervous_certificate_sha256(handle, &digest) else { throw Failure() }
        return digest
    }

    /// Whether the certificate certifies this key.
    func hasKey(_ key: P256.Signing.PublicKey) -> Bool {
        let key = Array(key.derRepresentation)
        return nervous_certificate_has_key(handle, key, key.count)
    }

    /// Whether it names an authority as its issuer, and the authority's key signed it.
    func isSigned(by authority: Certificate) -> Bool {
        nervous_certificate_is_signed_by(handle, authority.handle)
    }

    /// Whether it is for these names and no others, in any order.
    func hasNames(_ names: [Name]) throws(Failure) -> Bool {
        try Self.withList(names) { nervous_certificate_has_names(handle, $0) }
    }

    /// Whether the authority may vouch for each of these names.
    func permits(_ names: [Name]) throws(Failure) -> Bool {
        try Self.withList(names) { nervous_certificate_permits(handle, $0) }
    }

    private static func withList<Result>(
        _ names: [Name], _ body: (OpaquePointer) -> Result
    ) throws(Failure) -> Result {
        guard let list = nervous_names_new() else { throw Failure() }
        defer { nervous_names_free(list) }
        for name in names {
            let isAdded =
                switch name {
                case .domain(let domain): nervous_names_add_domain(list, domain)
                case .address(let bytes): nervous_names_add_address(list, bytes, bytes.count)
                }
            guard isAdded else { throw Failure() }
        }
        return body(list)
    }
}

extension nervous_validity {
    fileprivate init(from start: Date, until end: Date) {
        self.init(
            not_before: Int64(start.timeIntervalSince1970.rounded(.down)),
            not_after: Int64(end.timeIntervalSince1970.rounded(.down)))
    }
}
